-- name: BookOnPayment :execrows
-- No row means that there is no such payment.
UPDATE payments
SET booked_cents = booked_cents + @amount_cents
WHERE tenant = @tenant AND id = @id;

-- name: CreateBooking :exec
INSERT INTO bookings (tenant, payment_id, event_type, amount_cents)
VALUES (@tenant, @payment_id, @event_type, @amount_cents);
