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

-- name: DeleteExpiredIdempotencyRecords :one
-- One batch of the cleanup, oldest first; any number of cleaners may run at once.
-- The next batch starts where this one ended: what was deleted stays in the index
-- until vacuum has been there, and isn't to be walked again.
WITH deleted AS (
    DELETE FROM idempotency_records
    WHERE id = ANY (ARRAY(
        SELECT r.id
        FROM idempotency_records r
        WHERE r.expires_at >= @after::timestamptz AND r.expires_at <= now()
        ORDER BY r.expires_at
        LIMIT @batch_size
        FOR UPDATE SKIP LOCKED
    ))
    RETURNING expires_at
)
SELECT
    count(*) AS deleted,
    COALESCE(max(expires_at), @after)::timestamptz AS last
FROM deleted;

-- name: CountExpiredIdempotencyRecords :one
-- What the cleanup has left. The limit keeps it cheap if that is much.
SELECT
    count(*) AS expired,
    COALESCE(extract(epoch FROM now() - min(e.expires_at)), 0)::float8 AS oldest_seconds
FROM (
    SELECT r.expires_at
    FROM idempotency_records r
    WHERE r.expires_at <= now()
    ORDER BY r.expires_at
    LIMIT @max_count
) e;
