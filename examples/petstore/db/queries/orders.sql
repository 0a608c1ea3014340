-- name: CreateOrder :one
INSERT INTO orders (tenant, sku, quantity, total_cents)
VALUES (@tenant, @sku, @quantity, @total_cents)
RETURNING *;

-- name: GetOrder :one
SELECT * FROM orders
WHERE tenant = @tenant AND id = @id;

-- name: ListOrders :many
SELECT * FROM orders
WHERE tenant = @tenant AND id > @after
ORDER BY id
LIMIT @page_size;

-- name: CloseOrder :one
-- Pays or cancels a placed order. No row means that it isn't there, or isn't
-- placed any more: of two at once, one gets the row.
UPDATE orders
SET status = @status
WHERE tenant = @tenant AND id = @id AND status = 'placed'
RETURNING *;
