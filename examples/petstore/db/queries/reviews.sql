-- name: CreateReview :one
INSERT INTO reviews (tenant, sku, author, stars, text)
VALUES (@tenant, @sku, @author, @stars, sqlc.narg(text))
RETURNING id, sku, author, stars, text, created_at;
