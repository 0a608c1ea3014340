-- name: CreatePet :one
INSERT INTO pets (tenant, name, tag, price_cents)
VALUES (@tenant, @name, @tag, @price_cents)
RETURNING *;

-- name: GetPet :one
SELECT * FROM pets
WHERE tenant = @tenant AND id = @id;

-- name: ListPets :many
SELECT * FROM pets
WHERE tenant = @tenant
    AND id > @after
    AND (sqlc.narg(tag)::text IS NULL OR tag = sqlc.narg(tag))
ORDER BY id
LIMIT @page_size;

-- name: SearchPets :many
-- strpos, since in a LIKE pattern % and _ of the user's would mean something.
SELECT * FROM pets
WHERE tenant = @tenant
    AND (sqlc.narg(name_contains)::text IS NULL OR strpos(lower(name), lower(sqlc.narg(name_contains))) > 0)
    AND (sqlc.narg(tags)::text[] IS NULL OR tag = ANY (sqlc.narg(tags)::text[]))
    AND (sqlc.narg(max_price_cents)::bigint IS NULL OR price_cents <= sqlc.narg(max_price_cents))
ORDER BY id
LIMIT @page_size;

-- name: UpdatePet :one
UPDATE pets
SET name        = coalesce(sqlc.narg(name), name),
    tag         = coalesce(sqlc.narg(tag), tag),
    price_cents = coalesce(sqlc.narg(price_cents), price_cents)
WHERE tenant = @tenant AND id = @id
RETURNING *;

-- name: DeletePet :execrows
DELETE FROM pets
WHERE tenant = @tenant AND id = @id;
