package render

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/idemgen/idemgen/sql"
)

// RecordMark begins the first line of a migration of the record table. The rest
// says what the table is after it.
const RecordMark = "-- idemgen record schema "

func recordMark(schema int, table string) string {
	return RecordMark + strconv.Itoa(schema) + ", table " + table
}

var recordState = regexp.MustCompile(`^(\d+), table ([a-z_][a-z0-9_]*)(?:, .*)?$`)

// ParseRecordMark reads what follows RecordMark.
func ParseRecordMark(rest string) (schema int, table string, ok bool) {
	m := recordState.FindStringSubmatch(rest)
	if m == nil {
		return 0, "", false
	}
	schema, err := strconv.Atoi(m[1])
	return schema, m[2], err == nil
}

const writtenOnce = "-- Written once. It is yours now: idemgen never changes it again.\n"

// Migration is the goose migration that makes the table.
func Migration(table string) []byte { return RecordStep(sql.Steps, 1, table) }

// RecordStep is the goose migration that makes the schema out of the one before.
// steps are sql.Steps.
func RecordStep(steps []string, schema int, table string) []byte {
	mark := recordMark(schema, table)
	if schema > 1 {
		mark += ", from schema " + strconv.Itoa(schema-1)
	}
	return []byte(mark + "\n" + writtenOnce + sql.Named(steps[schema-1], table))
}

// RecordRename is the goose migration that gives the table, which has the last
// schema, another name.
func RecordRename(schema int, from, to string) []byte {
	return fmt.Appendf(nil, `%s, renamed from %s
%s-- Servers from before use the old name: this migration and the new server belong
-- together. If the two run side by side for a while, add a view for the old ones,
-- and drop it afterwards:
--     CREATE VIEW %[2]s AS SELECT * FROM %[4]s;
-- +goose Up
%s
-- +goose Down
%s`, recordMark(schema, to), from, writtenOnce, to, sql.Rename(from, to), sql.Rename(to, from))
}
