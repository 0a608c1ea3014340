-- name: GetProduct :one
SELECT * FROM products
WHERE tenant = @tenant AND sku = @sku;

-- name: ListProducts :many
SELECT * FROM products
WHERE tenant = @tenant AND sku > @after
ORDER BY sku
LIMIT @page_size;

-- name: PutProduct :one
INSERT INTO products (tenant, sku, name, price_cents, stock)
VALUES (@tenant, @sku, @name, @price_cents, coalesce(sqlc.narg(stock)::integer, 0))
ON CONFLICT (tenant, sku) DO UPDATE
SET name        = excluded.name,
    price_cents = excluded.price_cents,
    stock       = coalesce(sqlc.narg(stock)::integer, products.stock)
RETURNING *;

-- name: TakeStock :one
-- No row means that there isn't enough. The row stays locked until the order is
-- committed, so that two orders never count on the same piece.
UPDATE products
SET stock = stock - @quantity
WHERE tenant = @tenant AND sku = @sku AND stock >= @quantity
RETURNING price_cents;

-- name: ReturnStock :exec
UPDATE products
SET stock = stock + @quantity
WHERE tenant = @tenant AND sku = @sku;
