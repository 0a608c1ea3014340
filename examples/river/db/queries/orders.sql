-- name: CreateOrder :one
INSERT INTO orders (email, quantity)
VALUES (@email, @quantity)
RETURNING id;
