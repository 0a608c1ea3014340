-- name: CreateDelivery :exec
INSERT INTO deliveries (tenant, sku, supplier, note, quantity, accepted)
VALUES (@tenant, @sku, @supplier, @note, @quantity, @accepted);

-- name: AddStock :one
-- No row means that there is no room for so many.
UPDATE products
SET stock = stock + @quantity
WHERE tenant = @tenant AND sku = @sku AND stock + @quantity <= 1000000
RETURNING *;
