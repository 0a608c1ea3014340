package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/internal/cli"
	"github.com/idemgen/idemgen/pgtest"
	"github.com/idemgen/idemgen/sql"
)

// records makes a database with a table of expired records and one that isn't.
func records(t *testing.T, table string, expired int) (string, *pgx.Conn) {
	t.Helper()
	url := pgtest.Database(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	up, _, _ := strings.Cut(sql.Named(sql.Migration, table), "-- +goose Down")
	insert := "INSERT INTO " + table + ` (id, expires_at, status, fingerprint, header)
		SELECT gen_random_uuid(), now() + interval '1 h' - n * interval '1 h', 201, '', '' FROM generate_series(0, ` + "$1::int) n"
	if _, err := conn.Exec(t.Context(), up); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), insert, expired); err != nil {
		t.Fatal(err)
	}
	return url, conn
}

func run(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = cli.Run(args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

func want(t *testing.T, pattern, got string) {
	t.Helper()
	if !regexp.MustCompile("^" + pattern + "$").MatchString(got) {
		t.Errorf("got %q, want %s", got, pattern)
	}
}

func count(t *testing.T, conn *pgx.Conn, table string) (n int) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestCleanupDeletesInBatches(t *testing.T) {
	t.Chdir(t.TempDir()) // no configuration
	url, conn := records(t, "idempotency_records", 25)
	t.Setenv("DATABASE_URL", url)
	code, stdout, stderr := run("cleanup", "--batch-size", "10")
	if code != 0 || stderr != "" {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	want(t, `idempotency_records: 25 records deleted in [0-9.]+m?s; no expired ones are left\n`, stdout)
	if left := count(t, conn, "idempotency_records"); left != 1 {
		t.Errorf("%d records are there, want the one that hasn't expired", left)
	}
}

func TestCleanupTellsWhatIsLeft(t *testing.T) {
	t.Chdir(t.TempDir())
	url, conn := records(t, "idem_keys", 5)
	if err := os.WriteFile("idemgen.yaml", []byte("version: 1\nspec: a.yaml\nstore: {table: idem_keys}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// Somebody holds the oldest: it is skipped, not waited for.
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SELECT FROM idem_keys ORDER BY expires_at LIMIT 2 FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := run("cleanup", "--database", url)
	if code != 0 || stderr != "" {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	want(t, `idem_keys: 3 records deleted in [0-9.]+m?s; 2 expired ones are left, the oldest since 4h0m\ds\n`, stdout)
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, stdout, _ = run("cleanup", "--database", url, "--config", filepath.Join(".", "idemgen.yaml"))
	want(t, `idem_keys: 2 records deleted .*\n`, stdout)
}

func TestCleanupThatFails(t *testing.T) {
	t.Chdir(t.TempDir())
	url, conn := records(t, "idem_keys", 100)
	code, stdout, stderr := run("cleanup", "--database", url)
	if code != 1 {
		t.Errorf("exit code %d", code)
	}
	want(t, `idempotency_records: 0 records deleted in [0-9.]+m?s\n`, stdout)
	want(t, `idemgen: delete expired records: there is no table idempotency_records; have its migrations run, and is --table or the configuration right\? \(.*42P01.*\)\n`, stderr)

	// A hundred batches take longer than that: what was done is told.
	code, stdout, stderr = run("cleanup", "--database", url, "--table", "idem_keys", "--batch-size", "1", "--timeout", "1s")
	if code != 1 {
		t.Errorf("exit code %d", code)
	}
	want(t, `idem_keys: [0-9]{1,2} records deleted in [0-9.]+m?s\n`, stdout)
	want(t, `idemgen: delete expired records: the time is up; .*\n`, stderr)

	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "LOCK TABLE idem_keys"); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = run("cleanup", "--database", url, "--table", "idem_keys", "--timeout", "1s")
	if code != 1 || !strings.Contains(stderr, "the time is up") {
		t.Errorf("with a locked table: exit code %d: %s", code, stderr)
	}
}

func TestCleanupThatCantBegin(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("DATABASE_URL", "")
	if err := os.WriteFile("wrong.yaml", []byte("version: 1\nspec: a.yaml\nstore: {table: user}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const nobody = "postgres://u:s3cret@127.0.0.1:1/nobody-listens"
	for args, message := range map[string]string{
		"":                                     "which database? set DATABASE_URL, or --database",
		"--database " + nobody:                 "failed to connect",
		"--database postgres://u:s3cret@:port": "cannot parse",
		"--table a;drop":                       `--table: "a;drop" is not a plain table name`,
		"--table select":                       `--table: "select" is a reserved word`,
		"-c missing.yaml":                      "missing.yaml: the file does not exist",
		"-c wrong.yaml":                        `wrong.yaml:3:16: store.table: "user" is a reserved word`,
		"--database x --batch-size 0":          "--batch-size 0 is not between 1 and 1000000",
		"--database x --timeout -1s":           "--timeout -1s is no time",
		"--timeout soon":                       "invalid argument",
		"extra":                                "unknown command",
	} {
		code, stdout, stderr := run(append([]string{"cleanup"}, strings.Fields(args)...)...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, message) || strings.Contains(stderr, "s3cret") {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}
