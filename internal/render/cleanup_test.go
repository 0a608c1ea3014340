package render_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/idemgen/idemgen/internal/ir"
	"github.com/idemgen/idemgen/internal/render"
	"github.com/idemgen/idemgen/pgtest"
)

// pgCron has the functions of pg_cron, and as much of its table as shows what
// they were told. The real one has to be in shared_preload_libraries.
const pgCron = `
CREATE SCHEMA cron;
CREATE TABLE cron.job (jobid bigint GENERATED ALWAYS AS IDENTITY, jobname name UNIQUE, schedule text, command text);
CREATE FUNCTION cron.schedule(job_name text, schedule text, command text) RETURNS bigint LANGUAGE sql AS
$$ INSERT INTO cron.job (jobname, schedule, command) VALUES ($1, $2, $3)
   ON CONFLICT (jobname) DO UPDATE SET schedule = $2, command = $3 RETURNING jobid $$;
CREATE FUNCTION cron.unschedule(job_name name) RETURNS bool LANGUAGE plpgsql AS
$$ BEGIN
   DELETE FROM cron.job WHERE jobname = $1;
   IF NOT FOUND THEN RAISE 'could not find valid entry for job ''%''', $1; END IF;
   RETURN true;
END $$`

// With PG_CRON_URL, a database that has the real pg_cron and no records yet,
// the migrations run there.
func TestCleanupMigrationsGoUpAndDown(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	url, isReal := os.LookupEnv("PG_CRON_URL")
	if !isReal {
		url = pgtest.Database(t)
	}
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDB(*config)
	t.Cleanup(func() { _ = db.Close() })
	if !isReal {
		if _, err := db.ExecContext(ctx, pgCron); err != nil {
			t.Fatal(err)
		}
	}

	const table = "idem_keys"
	dir := t.TempDir()
	for name, content := range map[string][]byte{
		"1_records.sql": render.Migration(table),
		"2_cleanup.sql": render.CleanupMigration(table, &ir.CleanupJob{Schedule: "*/5 * * * *"}),
		"3_cleanup.sql": render.CleanupMigration(table, &ir.CleanupJob{Schedule: "0 3 * * sun", Before: "*/5 * * * *", Table: table}),
		"4_rename.sql":  render.RecordRename(1, table, "keys"),
		"5_cleanup.sql": render.CleanupMigration("keys", &ir.CleanupJob{Schedule: "0 3 * * sun", Before: "0 3 * * sun", Table: table}),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		to   int64
		want string
	}{{2, "*/5 * * * *"}, {3, "0 3 * * sun"}, {2, "*/5 * * * *"}, {1, ""}, {3, "0 3 * * sun"}}
	var command string
	for _, step := range steps {
		version, err := provider.GetDBVersion(ctx)
		if err == nil && version < step.to {
			_, err = provider.UpTo(ctx, step.to)
		} else if err == nil {
			_, err = provider.DownTo(ctx, step.to)
		}
		if err != nil {
			t.Fatal(err)
		}
		var schedule string
		rows := db.QueryRowContext(ctx, `SELECT COALESCE(max(schedule), ''), COALESCE(max(command), '') FROM cron.job WHERE jobname = $1`, table+"_cleanup")
		if err := rows.Scan(&schedule, &command); err != nil {
			t.Fatal(err)
		}
		if schedule != step.want {
			t.Errorf("at version %d the schedule is %q, want %q", step.to, schedule, step.want)
		}
	}

	// What the job runs deletes what it should.
	if _, err := db.ExecContext(ctx, `INSERT INTO idem_keys (id, expires_at, status, fingerprint, header)
		SELECT gen_random_uuid(), now() + n * interval '1 h', 201, '', '' FROM generate_series(-9, 3) n`); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(command, "@") {
		t.Errorf("the command has a parameter: %s", command)
	}
	if _, err := db.ExecContext(ctx, command); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM idem_keys").Scan(&left); err != nil || left != 3 {
		t.Errorf("%d records are left, want 3; %v", left, err)
	}

	// The job follows the table to another name, and back.
	for _, step := range []struct {
		to   int64
		want string
	}{{5, "keys_cleanup"}, {3, table + "_cleanup"}, {5, "keys_cleanup"}} {
		if step.to == 5 {
			_, err = provider.UpTo(ctx, step.to)
		} else {
			_, err = provider.DownTo(ctx, step.to)
		}
		if err != nil {
			t.Fatal(err)
		}
		var jobs string
		if err := db.QueryRowContext(ctx, "SELECT string_agg(jobname, ' '), max(command) FROM cron.job").Scan(&jobs, &command); err != nil {
			t.Fatal(err)
		}
		if jobs != step.want {
			t.Errorf("at version %d the jobs are %q, want %q", step.to, jobs, step.want)
		}
		if _, err := db.ExecContext(ctx, command); err != nil {
			t.Error(err)
		}
	}
	if isReal {
		if _, err := provider.DownTo(ctx, 0); err != nil {
			t.Error(err)
		}
	}
}
