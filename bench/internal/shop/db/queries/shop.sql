-- name: TakeStock :one
UPDATE products SET stock = stock - @quantity
WHERE sku = @sku AND stock >= @quantity
RETURNING price_cents;

-- name: CreateOrder :one
INSERT INTO orders (sku, quantity, reference, total_cents)
VALUES (@sku, @quantity, @reference, @total_cents)
RETURNING *;

-- name: CreateReview :one
INSERT INTO reviews (sku, stars, text)
VALUES (@sku, @stars, @text)
RETURNING *;
