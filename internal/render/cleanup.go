package render

import (
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/internal/ir"
	"github.com/idemgen/idemgen/sql"
)

// cronBatch is how many records one run of the job deletes at most, in one
// transaction of about a second.
const cronBatch = "100000"

// CleanupMark begins the first line of a migration that schedules the cleanup of a
// table.
const CleanupMark = "-- idemgen cleanup job 1, table "

// ParseCleanupMark reads what follows CleanupMark; nothing of it if it isn't one.
func ParseCleanupMark(rest string) (table, schedule string) {
	table, schedule, _ = strings.Cut(rest, ", schedule ")
	return table, schedule
}

// CleanupMigration is the goose migration that makes the job in pg_cron.
// cron.schedule replaces a job of the same name.
func CleanupMigration(table string, job *ir.CleanupJob) []byte {
	down := unschedule(table)
	up := schedule(table, job.Schedule)
	switch {
	case job.Table != "" && job.Table != table: // it has been renamed
		up = unschedule(job.Table) + up
		down = unschedule(table) + schedule(job.Table, job.Before)
	case job.Before != "":
		down = schedule(table, job.Before)
	}
	return []byte(CleanupMark + table + ", schedule " + job.Schedule + "\n" + writtenOnce + `-- It needs the extension pg_cron in this database, and whoever runs it owns the job.
-- +goose Up
` + up + `
-- +goose Down
` + down)
}

func schedule(table, schedule string) string {
	query := strings.NewReplacer("@after", "'-infinity'", "@batch_size", cronBatch).Replace(sql.Query(sql.DeleteExpired, table))
	return fmt.Sprintf("-- +goose StatementBegin\nSELECT cron.schedule(%s, %s, $idemgen$\n%s\n$idemgen$);\n-- +goose StatementEnd\n",
		quoteSQL(jobName(table)), quoteSQL(schedule), query)
}

func unschedule(table string) string {
	return "SELECT cron.unschedule(" + quoteSQL(jobName(table)) + ");\n"
}

func jobName(table string) string { return table + "_cleanup" }

// quoteSQL makes a string literal. No backslash means anything in it.
func quoteSQL(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
