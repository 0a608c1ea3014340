package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// fill inserts records of a usual size, in the order in which they expire: n
// that expire within the second before at, and n that expire a day later. The
// indexes are made afterwards, which is faster by far.
func fill(ctx context.Context, conn *pgx.Conn, expiring, lasting int, at time.Time) error {
	const insert = `
		INSERT INTO idempotency_records (id, expires_at, status, fingerprint, header, body)
		SELECT gen_random_uuid(), $2::timestamptz + (n - $1) * $3::interval, 201,
			sha256(int4send(n)) || '\x01', decode(repeat('68', 60), 'hex'), decode(repeat('62', 120), 'hex')
		FROM generate_series(1, $1::int) n`
	for _, step := range []struct {
		statement string
		args      []any
	}{
		{"ALTER TABLE idempotency_records DROP CONSTRAINT idempotency_records_pkey", nil},
		{"DROP INDEX idempotency_records_expires_at", nil},
		{insert, []any{expiring, at, max(time.Microsecond, time.Second/time.Duration(max(expiring, 1)))}},
		{insert, []any{lasting, at.Add(24 * time.Hour), 8 * time.Millisecond}},
		{"ALTER TABLE idempotency_records ADD CONSTRAINT idempotency_records_pkey PRIMARY KEY (id)", nil},
		{"CREATE INDEX idempotency_records_expires_at ON idempotency_records (expires_at)", nil},
		{"VACUUM (ANALYZE) idempotency_records", nil},
		{"CHECKPOINT", nil},
	} {
		if _, err := conn.Exec(ctx, step.statement, step.args...); err != nil {
			return fmt.Errorf("%s: %w", step.statement, err)
		}
	}
	return nil
}

// size is that of the records' table and its indexes, for people.
func size(ctx context.Context, conn *pgx.Conn) (pretty string, err error) {
	err = conn.QueryRow(ctx, "SELECT pg_size_pretty(pg_total_relation_size('idempotency_records'))").Scan(&pretty)
	return pretty, err
}
