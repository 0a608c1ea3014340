package contract

import (
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"
)

// A check that can't fail proves nothing. Here the same plans are carried out
// on databases that break a promise behind the runtime's back, and each break
// must be seen.
func TestRandomHistoriesSeeWhatIsBroken(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"records are lost":           onInsert("idempotency_records", `RETURN NULL;`),
		"refusals aren't kept":       onInsert("idempotency_records", `IF NEW.status >= 400 THEN RETURN NULL; END IF; RETURN NEW;`),
		"records expire at once":     onInsert("idempotency_records", `NEW.expires_at := now(); RETURN NEW;`),
		"requests aren't told apart": onInsert("idempotency_records", `NEW.fingerprint := '\x00'; RETURN NEW;`),
		"statuses change":            onInsert("idempotency_records", `NEW.status := 200; RETURN NEW;`),
		"bytes change":               onInsert("idempotency_records", `NEW.body := NEW.body || ' '; RETURN NEW;`),
		"headers are lost":           onInsert("idempotency_records", `NEW.header := ''; RETURN NEW;`),
		"rows are lost": onInsert("idempotency_records",
			`DELETE FROM pets WHERE position(convert_to(name, 'UTF8') IN NEW.body) > 0; RETURN NEW;`),
		"rows are there twice": onInsert("pets",
			`IF pg_trigger_depth() = 1 THEN INSERT INTO pets (tenant, name) VALUES (NEW.tenant, NEW.name); END IF; RETURN NEW;`),
		// Neither the lock nor the unique key: what runs at once runs twice.
		"nothing keeps duplicates apart": `
			CREATE FUNCTION pg_try_advisory_xact_lock(bigint) RETURNS boolean LANGUAGE sql AS 'SELECT true';
			ALTER TABLE idempotency_records DROP CONSTRAINT idempotency_records_pkey`,

		"nothing": "SELECT", // and the plans are accepted
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := migrated(t)
			breakDatabase(t, database, sql)
			w := newWorld(t, database)
			most := 300
			if name == "nothing" {
				most = 20
			}
			var seen error
			for seed := 0; seed < most && seen == nil; seed++ {
				seen = w.check(plans.Example(seed))
			}
			if (seen == nil) != (name == "nothing") {
				t.Errorf("after %d plans: %v", w.plans, seen)
			}
		})
	}
}

// onInsert makes the database change or drop what is inserted into a table.
func onInsert(table, body string) string {
	return `
		CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ` + body + ` END $$;
		CREATE TRIGGER broken BEFORE INSERT ON ` + table + ` FOR EACH ROW EXECUTE FUNCTION broken()`
}

// breakDatabase runs the SQL, whose functions win over PostgreSQL's own from
// then on.
func breakDatabase(t *testing.T, database, sql string) {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	name := pgx.Identifier{u.Path[1:]}.Sanitize()
	db := newPool(t, database, 1)
	defer db.Close()
	for _, statement := range []string{
		"ALTER DATABASE " + name + " SET search_path TO public, pg_catalog",
		"SET search_path TO public, pg_catalog;" + sql,
	} {
		if _, err := db.Exec(t.Context(), statement, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatal(err)
		}
	}
}
