-- +goose Up

-- What the payment provider says it has moved: settlements less charge-backs.
-- Its events come in any order, so it may be below zero for a while.
ALTER TABLE payments ADD COLUMN booked_cents bigint NOT NULL DEFAULT 0;

-- Each booking by itself, for the accountant.
CREATE TABLE bookings (
    tenant       text        NOT NULL,
    id           bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    payment_id   bigint      NOT NULL,
    event_type   text        NOT NULL,
    amount_cents bigint      NOT NULL CHECK (amount_cents <> 0),
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, payment_id) REFERENCES payments (tenant, id)
);

-- +goose Down
DROP TABLE bookings;
ALTER TABLE payments DROP COLUMN booked_cents;
