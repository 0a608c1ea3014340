-- idemgen record schema 1, table idempotency_records
-- Written once. It is yours now: idemgen never changes it again.
-- +goose Up

-- One row per answered request. It is inserted once, in the transaction of the
-- business write, and never updated; it is deleted after expires_at.
CREATE TABLE idempotency_records (
    -- The first 16 bytes of SHA-256 over scope, operation and key: no tenant
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

-- Records expire in about the order in which they were inserted: a BRIN index
-- finds them at a thousandth of a btree's size, and costs inserts nothing.
CREATE INDEX idempotency_records_expires_at ON idempotency_records USING brin (expires_at);

-- +goose Down
DROP TABLE idempotency_records;
