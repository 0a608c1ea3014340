package generate_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/idemgen/idemgen/internal/generate"
	"github.com/idemgen/idemgen/internal/output"
	"github.com/idemgen/idemgen/pgtest"
	recordsql "github.com/idemgen/idemgen/sql"
)

// second is a made-up schema 2.
const second = `-- +goose Up
ALTER TABLE idempotency_records ADD COLUMN note text;

-- +goose Down
ALTER TABLE idempotency_records DROP COLUMN note;
`

// A service that is years old gets the upgrade and the new name as migrations,
// and a new one all of them at once; their databases are the same, and the records
// outlive the ways up and down.
func TestRecordTableFollowsItsSchemaAndName(t *testing.T) {
	ctx := t.Context()
	steps := recordsql.Steps
	next := append(slices.Clone(steps), second)

	old := t.TempDir()
	service(t, old, "")
	produce(t, old, steps)
	oldDB := open(t)
	up(t, oldDB, old)
	const insert = ` (id, expires_at, status, fingerprint, header) VALUES (gen_random_uuid(), now(), 201, '', '')`
	exec(t, oldDB, "INSERT INTO idempotency_records"+insert)

	service(t, old, "store: {table: keys}\n")
	made := produce(t, old, next)
	if made.New.Record.Schema != len(next) || made.New.Record.Table != "keys" {
		t.Errorf("the lock has %+v", made.New.Record)
	}
	if again := produce(t, old, next); len(again.Migrations) > 0 {
		t.Errorf("%s is written again", again.Migrations[0].Path)
	}
	up(t, oldDB, old)
	exec(t, oldDB, "INSERT INTO keys"+insert)
	// As the migration suggests for servers from before.
	exec(t, oldDB, "CREATE VIEW idempotency_records AS SELECT * FROM keys")
	exec(t, oldDB, "INSERT INTO idempotency_records"+insert+" ON CONFLICT (id) DO NOTHING")
	exec(t, oldDB, "DELETE FROM idempotency_records WHERE id IN (SELECT id FROM idempotency_records LIMIT 1 FOR UPDATE SKIP LOCKED)")
	exec(t, oldDB, "DROP VIEW idempotency_records")

	fresh := t.TempDir()
	service(t, fresh, "store: {table: keys}\n")
	produce(t, fresh, next)
	freshDB := open(t)
	up(t, freshDB, fresh)
	if got, want := catalog(t, oldDB), catalog(t, freshDB); got != want || !strings.Contains(got, "keys.note") {
		t.Errorf("the old database has\n%s, a new one\n%s", got, want)
	}

	p := provider(t, oldDB, old)
	for range made.Migrations {
		if _, err := p.Down(ctx); err != nil {
			t.Fatal(err)
		}
	}
	count := func(table string) (n int) {
		if err := oldDB.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count("idempotency_records"); n != 2 {
		t.Errorf("after the way down there are %d records, not 2", n)
	}
	up(t, oldDB, old)
	if n := count("keys"); n != 2 {
		t.Errorf("up again there are %d records, not 2", n)
	}
}

func service(t *testing.T, dir, config string) {
	t.Helper()
	for name, content := range map[string]string{
		"go.mod":       "module example.com/shop\n",
		"openapi.yaml": "openapi: 3.0.3\ninfo: {title: shop, version: \"1\"}\npaths: {}\n",
		"idemgen.yaml": "version: 1\nspec: openapi.yaml\n" + config,
	} {
		write(t, filepath.Join(dir, name), content)
	}
}

// produce generates and writes.
func produce(t *testing.T, dir string, steps []string) *generate.Generated {
	t.Helper()
	made, diags, err := generate.RunWith(t.Context(), filepath.Join(dir, "idemgen.yaml"), steps)
	if err != nil || !diags.Empty() {
		t.Fatal(err, diags.All())
	}
	plan, err := output.NewPlan(made.Output())
	if err == nil {
		_, err = plan.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func open(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", pgtest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func provider(t *testing.T, db *sql.DB, dir string) *goose.Provider {
	t.Helper()
	p, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS(filepath.Join(dir, "db/migrations")))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func up(t *testing.T, db *sql.DB, dir string) {
	t.Helper()
	if _, err := provider(t, db, dir).Up(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func exec(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(context.Background(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// catalog is what PostgreSQL knows of the record table.
func catalog(t *testing.T, db *sql.DB) string {
	t.Helper()
	var text string
	err := db.QueryRowContext(t.Context(), `
SELECT string_agg(line, E'\n' ORDER BY line) FROM (
SELECT format('%s.%s %s %s', table_name, column_name, data_type, is_nullable) AS line FROM information_schema.columns
 WHERE table_schema = 'public' AND table_name <> 'goose_db_version'
UNION ALL
SELECT format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
 WHERE connamespace = 'public'::regnamespace AND conrelid <> 'goose_db_version'::regclass
UNION ALL
SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> 'goose_db_version') AS all_lines`).Scan(&text)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
