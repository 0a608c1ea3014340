-- idemgen record schema 1, table idempotency_records
-- Written once. It is yours now: idemgen never changes it again.
-- +goose Up

-- One row per answered request. It is inserted once, in the transaction of the
-- business write, and never updated; it is deleted after expires_at.
CREATE TABLE idempotency_records (
    -- A hash over scope, operation and key, behind the key's own time: no tenant
    -- can name another tenant's record, and the key itself isn't kept.
    id          uuid        NOT NULL,
    expires_at  timestamptz NOT NULL,
    status      smallint    NOT NULL,
    -- One byte of version, then the hash of the request that made the record.
    fingerprint bytea       NOT NULL,
    -- Name and value pairs, each with its length in front.
    header      bytea       NOT NULL,
    -- bytea, since jsonb would change the bytes. NULL: too large to be stored.
    body        bytea,
    CONSTRAINT idempotency_records_pkey PRIMARY KEY (id)
);

-- The cleanup walks it from the oldest record on. A BRIN index would be smaller,
-- but once the space of deleted records is used again, each of its ranges holds
-- something old and all of the table is read to find that nothing has expired.
CREATE INDEX idempotency_records_expires_at ON idempotency_records (expires_at);

-- +goose Down
DROP TABLE idempotency_records;
