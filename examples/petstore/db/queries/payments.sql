-- name: CreatePayment :one
INSERT INTO payments (tenant, order_id, amount_cents)
VALUES (@tenant, @order_id, @amount_cents)
RETURNING *;

-- name: GetPayment :one
SELECT * FROM payments
WHERE tenant = @tenant AND id = @id;

-- name: TakeFromPayment :execrows
-- No row means that it isn't there, or that less than that is left of it. The
-- subtraction can't overflow, whatever amount a client names.
UPDATE payments
SET refunded_cents = refunded_cents + @amount_cents
WHERE tenant = @tenant AND id = @id AND amount_cents - refunded_cents >= @amount_cents;

-- name: CreateRefund :one
INSERT INTO refunds (tenant, payment_id, amount_cents, reason)
VALUES (@tenant, @payment_id, @amount_cents, @reason)
RETURNING *;
