package sql_test

import (
	"database/sql"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/idemgen/idemgen/internal/sqlc"
	"github.com/idemgen/idemgen/pgtest"
)

func TestMain(m *testing.M) {
	if code, ok := sqlc.RunAsChild(); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

func TestMigrationGoesUpAndDown(t *testing.T) {
	t.Parallel()
	db := open(t)
	provider, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS("migrations"))
	if err != nil {
		t.Fatal(err)
	}
	const relations = `SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname LIKE 'idempotency%'`
	for range 2 {
		if _, err := provider.Up(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := count(t, db, relations); got != 3 { // the table and its two indexes
			t.Errorf("%d relations after up, want 3", got)
		}
		if _, err := provider.Down(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := count(t, db, relations); got != 0 {
			t.Errorf("%d relations are left after down", got)
		}
	}
}

// The SQL stands on its own: sqlc takes it as it is in this folder.
func TestQueriesAreGood(t *testing.T) {
	t.Parallel()
	job := sqlc.Job{Config: "sqlc.yaml", Files: map[string][]byte{}, Display: func(path string) string { return path }}
	for _, name := range []string{"sqlc.yaml", "migrations/00001_idempotency.sql", "queries/idempotency.sql"} {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		job.Files[name] = content
	}
	made, diags, err := sqlc.Generate(t.Context(), job)
	if err != nil || !diags.Empty() {
		t.Fatalf("%v %v", err, diags.All())
	}
	if len(made) == 0 {
		t.Error("sqlc made nothing")
	}
}

func open(t *testing.T) *sql.DB {
	t.Helper()
	config, err := pgx.ParseConfig(pgtest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDB(*config)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func count(t *testing.T, db *sql.DB, query string) int {
	t.Helper()
	var n int
	if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
