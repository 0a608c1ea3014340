package contract

import "testing"

// A check that can't fail proves nothing. Here the same plans are carried out
// on databases that break a promise behind the runtime's back, and each break
// must be seen.
func TestRandomHistoriesSeeWhatIsBroken(t *testing.T) {
	t.Parallel()
	const noLock = "nothing keeps duplicates apart"
	breaks := map[string]string{
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
		noLock: `
			CREATE FUNCTION pg_try_advisory_xact_lock(bigint) RETURNS boolean LANGUAGE sql AS 'SELECT true';
			ALTER TABLE idempotency_records DROP CONSTRAINT idempotency_records_pkey`,

		"nothing": "", // and the plans are accepted
	}
	if serializable() {
		delete(breaks, noLock) // PostgreSQL itself keeps them apart
	}
	for name, sql := range breaks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, prepared(t, oursFirst+sql)).unchecked()
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

// oursFirst lets the functions that follow win over PostgreSQL's own.
const oursFirst = `
	DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path TO public, pg_catalog', current_database()); END $$;
	SET search_path TO public, pg_catalog;`

// onInsert makes the database change or drop what is inserted into a table.
func onInsert(table, body string) string {
	return `
		CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ` + body + ` END $$;
		CREATE TRIGGER broken BEFORE INSERT ON ` + table + ` FOR EACH ROW EXECUTE FUNCTION broken()`
}
