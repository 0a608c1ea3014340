package contract

import (
	"context"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/pgtest"
)

// viaVariable says how the tests of this package reach their databases. What is
// promised doesn't depend on it:
//
//   - empty: directly, and PostgreSQL is as it comes
//   - pgbouncer: through PgBouncer in transaction mode, which doesn't know
//     prepared statements (before 1.21), so pgx prepares none
//   - serializable: directly, and every transaction that doesn't say otherwise
//     is serializable
const viaVariable = "CONTRACT_VIA"

func throughPooler() bool { return os.Getenv(viaVariable) == "pgbouncer" }

func serializable() bool { return os.Getenv(viaVariable) == "serializable" }

// via returns the URL by which tests reach the database of pool.
func via(t testing.TB, pool *pgxpool.Pool, databaseURL string) string {
	t.Helper()
	switch mode := os.Getenv(viaVariable); mode {
	case "":
		return databaseURL
	case "pgbouncer":
		pooler := unprepared(t, pgtest.PgBouncer(t, databaseURL))
		spread(t, pooler)
		return pooler
	case "serializable":
		database := pgx.Identifier{pool.Config().ConnConfig.Database}.Sanitize()
		if _, err := pool.Exec(t.Context(), "ALTER DATABASE "+database+" SET default_transaction_isolation TO serializable"); err != nil {
			t.Fatal(err)
		}
		return databaseURL
	default:
		t.Fatalf("%s is %q; it may be pgbouncer or serializable", viaVariable, mode)
		return ""
	}
}

// unprepared is the URL with pgx's exec mode, as users of a pooler set it.
func unprepared(t testing.TB, databaseURL string) string {
	t.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("default_query_exec_mode", "exec")
	u.RawQuery = query.Encode()
	return u.String()
}

// spread makes the pooler open some connections to the server: with one alone,
// what leaks from a transaction into the next would stay with its client.
func spread(t testing.TB, databaseURL string) {
	t.Helper()
	const connections = 3
	pool := newPool(t, databaseURL, connections)
	defer pool.Close()
	for range connections {
		tx, err := pool.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback(context.Background()) }() // before the pool is closed
	}
}

// What CONTRACT_VIA promises is what the tests get: a run that reaches the
// database in another way would prove nothing.
func TestDatabaseIsReachedAsSaid(t *testing.T) {
	t.Parallel()
	pool := newPool(t, migrated(t), 0)
	var isolation string
	if err := pool.QueryRow(t.Context(), "SHOW default_transaction_isolation").Scan(&isolation); err != nil {
		t.Fatal(err)
	}
	if got := isolation == "serializable"; got != serializable() {
		t.Errorf("the default isolation is %s", isolation)
	}
	// A pooler in transaction mode gives each transaction another backend.
	conn, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	backends := map[int]bool{}
	for range 20 {
		var pid int
		if err := conn.QueryRow(t.Context(), "SELECT pg_backend_pid()").Scan(&pid); err != nil {
			t.Fatal(err)
		}
		backends[pid] = true
	}
	if got := len(backends) > 1; got != throughPooler() {
		t.Errorf("one connection saw %d backends", len(backends))
	}
}

// endBlocked ends statements that wait for a lock although their client has
// gone: a cancel request may come too late, or, through a pooler, never.
func (s *store) endBlocked() {
	s.t.Helper()
	const end = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event_type = 'Lock'`
	for deadline := time.Now().Add(10 * time.Second); s.count(end) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatal("a statement waits for a lock and can't be ended")
		}
	}
}
