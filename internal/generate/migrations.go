package generate

import (
	"path"
	"strconv"
	"time"

	"github.com/idemgen/idemgen/internal/config"
	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/ir"
	"github.com/idemgen/idemgen/internal/lock"
	"github.com/idemgen/idemgen/internal/migrations"
	"github.com/idemgen/idemgen/internal/output"
	"github.com/idemgen/idemgen/internal/render"
)

// migrations makes those that the database needs and that don't exist.
func (r *run) migrations() {
	r.database.Record = r.foundRecord()
	if r.made.Old != nil {
		r.database.Tables = r.made.Old.Tables
	}
	r.recordMigrations()
	r.cleanupMigration()
	r.tableMigration()
}

// add makes a migration, after which the database is as r.database says.
func (r *run) add(name string, content []byte) {
	r.made.Migrations = append(r.made.Migrations, output.Migration{
		Path: path.Join(r.cfg.DB.Migrations, name), Content: content, After: r.database,
	})
	r.migrationFiles = migrations.With(r.migrationFiles, name)
}

func (r *run) nextMigration(about string) string {
	return migrations.Next(r.migrationFiles, about, time.Now())
}

// foundRecord is the record table that the migrations make: their first lines
// say it. If they were rewritten, the lock may know the table's name.
func (r *run) foundRecord() lock.Record {
	if schema, table, ok := render.ParseRecordMark(migrations.LastMarked(r.migrationFiles, render.RecordMark)); ok {
		return lock.Record{Schema: schema, Table: table}
	}
	if old := r.made.Old; old != nil && old.Record.Table != r.sql.Table && config.TableProblem(old.Record.Table) == "" {
		return old.Record
	}
	return lock.Record{}
}

// recordMigrations takes the record table to the last schema, and to its name.
func (r *run) recordMigrations() {
	record := &r.database.Record
	if record.Table == "" {
		record.Table = r.sql.Table
	}
	if record.Schema > len(r.steps) {
		r.diags.Addf(diag.Pos{File: r.display(r.cfg.DB.Migrations)}, 0, ruleSchema,
			"a newer idemgen made schema %d of the record table, and this one knows %d; use the newer one here too", record.Schema, len(r.steps))
		return
	}
	for record.Schema < len(r.steps) {
		record.Schema++
		about := "idempotency"
		if record.Schema > 1 {
			about += "_schema_" + strconv.Itoa(record.Schema)
		}
		r.add(r.nextMigration(about), render.RecordStep(r.steps, record.Schema, record.Table))
	}
	if from := record.Table; from != r.sql.Table {
		record.Table = r.sql.Table
		r.add(r.nextMigration("idempotency_rename"), render.RecordRename(record.Schema, from, record.Table))
	}
}

// cleanupMigration makes the job in pg_cron, unless the last migration that makes
// it has the schedule that is configured, and the table's name. Without a schedule
// a job that was made stays, and follows the table.
func (r *run) cleanupMigration() {
	table, before := render.ParseCleanupMark(migrations.LastMarked(r.migrationFiles, render.CleanupMark))
	schedule := r.cfg.Cleanup.PGCron
	if schedule == "" {
		schedule = before
	}
	if schedule == "" || schedule == before && table == r.sql.Table {
		return
	}
	job := &ir.CleanupJob{Schedule: schedule, Before: before, Table: table}
	r.add(r.nextMigration("idempotency_cleanup"), render.CleanupMigration(r.sql.Table, job))
}
