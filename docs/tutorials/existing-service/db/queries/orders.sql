-- name: CreateOrder :one
INSERT INTO orders (customer, sku, quantity) VALUES ($1, $2, $3) RETURNING *;

-- name: ListOrders :many
SELECT * FROM orders WHERE customer = $1 ORDER BY id;
