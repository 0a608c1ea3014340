// Package cleanup deletes expired records from outside of a service, with the
// SQL that the service's own cleaner runs.
package cleanup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idemgen/idemgen/sql"
)

const (
	// MaxLeft is up to where the records that are left are counted.
	MaxLeft = 100_000

	connectTimeout = 10 * time.Second
	// pause is between two batches, which lets others at the database.
	pause = 50 * time.Millisecond

	undefinedTable = "42P01"
)

// Options are those of one pass.
type Options struct {
	// Table is a plain identifier: it goes into the SQL as it is.
	Table string
	// BatchSize is how many records one statement deletes at most.
	BatchSize int
}

// Result is what a pass has done.
type Result struct {
	// Deleted is how many records were deleted.
	Deleted int64
	// Left is how many expired ones there are after that, up to MaxLeft, and
	// Oldest how long ago the oldest of them expired.
	Left   int64
	Oldest time.Duration
	// Duration is that of the whole pass.
	Duration time.Duration
}

// Connect opens a connection. Errors don't hold the password.
func Connect(ctx context.Context, url string) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	// Nothing is prepared, which any pooler between us and the server takes.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	return pgx.ConnectConfig(ctx, config)
}

// Pass deletes what has expired, batch by batch, each a transaction of its own.
// The result says what was done also when it fails halfway.
func Pass(ctx context.Context, conn *pgx.Conn, opts Options) (result Result, err error) {
	start := time.Now()
	defer func() { result.Duration = time.Since(start) }()
	query := sql.Query(sql.DeleteExpired, opts.Table)
	var after time.Time
	for {
		var deleted int64
		args := pgx.NamedArgs{"after": after, "batch_size": opts.BatchSize}
		if err := conn.QueryRow(ctx, query, args).Scan(&deleted, &after); err != nil {
			return result, explain("delete expired records", opts.Table, err)
		}
		result.Deleted += deleted
		if deleted < int64(opts.BatchSize) {
			break
		}
		select {
		case <-ctx.Done():
			return result, explain("delete expired records", opts.Table, ctx.Err())
		case <-time.After(pause):
		}
	}
	var seconds float64
	query = sql.Query(sql.CountExpired, opts.Table)
	err = conn.QueryRow(ctx, query, pgx.NamedArgs{"max_count": MaxLeft}).Scan(&result.Left, &seconds)
	result.Oldest = time.Duration(seconds * float64(time.Second))
	if err != nil {
		return result, explain("count what is left", opts.Table, err)
	}
	return result, nil
}

func explain(what, table string, err error) error {
	var pgErr *pgconn.PgError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: the time is up; the next pass goes on, or give it more with --timeout", what)
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: interrupted", what)
	case errors.As(err, &pgErr) && pgErr.Code == undefinedTable:
		return fmt.Errorf("%s: there is no table %s; have its migrations run, and is --table or the configuration right? (%w)", what, table, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}
