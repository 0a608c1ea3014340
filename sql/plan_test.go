package sql_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/pgtest"
	idemsql "github.com/idemgen/idemgen/sql"
)

// A batch reads what it deletes, and not all of the table, however much has
// expired.
func TestCleanupDoesntScanTheTable(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, pgtest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(ctx) })
	up, _, _ := strings.Cut(idemsql.Migration, "-- +goose Down")
	for _, statement := range []string{up, `
		INSERT INTO idempotency_records (id, expires_at, status, fingerprint, header)
		SELECT gen_random_uuid(), now() + n * interval '1 s', 201, '', '' FROM generate_series(-20000, 20000) n`,
		"ANALYZE idempotency_records",
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{idemsql.DeleteExpired, idemsql.CountExpired} {
		query := "EXPLAIN " + idemsql.Query(name, idemsql.Table)
		rows, err := conn.Query(ctx, query, pgx.QueryExecModeExec, pgx.NamedArgs{"after": time.Time{}, "batch_size": 100, "max_count": 100})
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		plan := strings.Join(lines, "\n")
		if !strings.Contains(plan, "using idempotency_records_expires_at") || strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "Sort") {
			t.Errorf("%s:\n%s", name, plan)
		}
	}
}
