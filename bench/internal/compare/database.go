package compare

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/bench/internal/candidates"
	"github.com/idemgen/idemgen/bench/internal/shop/db/migrations"
)

// makeDatabase makes one, with the tables of a candidate in it. Its name begins
// with the process's number, so that two benchmarks don't meet.
func (r *runner) makeDatabase(ctx context.Context, name string, candidate *candidates.Candidate) (string, error) {
	quoted := pgx.Identifier{fmt.Sprintf("idemgen_bench_%d_%s", os.Getpid(), name)}
	if _, err := r.admin.Exec(ctx, "CREATE DATABASE "+quoted.Sanitize()); err != nil {
		return "", err
	}
	r.databases = append(r.databases, quoted)
	u, err := url.Parse(r.DatabaseURL)
	if err != nil {
		return "", err
	}
	u.Path = "/" + quoted[0]
	pool, err := newPool(ctx, u.String(), 2)
	if err != nil {
		return "", err
	}
	defer pool.Close()
	if err := migrations.Up(ctx, pool); err != nil {
		return "", err
	}
	if candidate.Schema != "" {
		if _, err := pool.Exec(ctx, candidate.Schema); err != nil {
			return "", err
		}
	}
	_, err = pool.Exec(ctx, "VACUUM ANALYZE")
	return u.String(), err
}

// dropDatabases removes what makeDatabase has made.
func (r *runner) dropDatabases(ctx context.Context) (err error) {
	for len(r.databases) > 0 {
		err = errors.Join(err, r.dropLast(ctx))
	}
	return err
}

// dropLast removes the one that was made last.
func (r *runner) dropLast(ctx context.Context) error {
	last := len(r.databases) - 1
	_, err := r.admin.Exec(ctx, "DROP DATABASE "+r.databases[last].Sanitize()+" WITH (FORCE)")
	r.databases = r.databases[:last]
	return err
}

// at is a database URL with another address.
func at(database, address string) (string, error) {
	u, err := url.Parse(database)
	if err != nil {
		return "", err
	}
	u.Host = address
	return u.String(), nil
}

// wal is how many bytes of WAL the server has written.
func (r *runner) wal(ctx context.Context) (bytes int64, err error) {
	err = r.admin.QueryRow(ctx, "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint").Scan(&bytes)
	return bytes, err
}
