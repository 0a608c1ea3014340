-- name: LockIdempotencyKey :batchone
-- The claim. The lock is taken at once or not at all, and is released after the
-- commit has become visible: whoever gets it next sees the record. (:batchone and
-- :batchexec let statements share a round trip: sqlc queues them with SendBatch.)
SELECT pg_try_advisory_xact_lock(@lock_id::bigint) AS locked;

-- name: GetIdempotencyRecord :batchone
-- A statement of its own after the lock, so that its snapshot is younger.
SELECT
    (expires_at <= now())::boolean AS expired,
    status,
    fingerprint,
    header,
    body
FROM idempotency_records
WHERE id = @id;

-- name: DeleteExpiredIdempotencyRecord :batchexec
-- Makes room for the record of a key that is used again after it expired.
DELETE FROM idempotency_records
WHERE id = @id AND expires_at <= now();

-- name: InsertIdempotencyRecord :batchexec
-- The unique key is the last arbiter: on a conflict all of the transaction is undone.
INSERT INTO idempotency_records (id, expires_at, status, fingerprint, header, body)
VALUES (@id, now() + @ttl::interval, @status, @fingerprint, @header, @body);

-- name: DeleteExpiredIdempotencyRecords :execrows
-- One batch of the cleanup; any number of cleaners may run at once.
DELETE FROM idempotency_records
WHERE id = ANY (ARRAY(
    SELECT r.id
    FROM idempotency_records r
    WHERE r.expires_at <= now()
    LIMIT @batch_size
    FOR UPDATE SKIP LOCKED
));
