package sql

import "strings"

// The queries of the cleanup. The generator runs them itself, too.
const (
	DeleteExpired = "DeleteExpiredIdempotencyRecords"
	CountExpired  = "CountExpiredIdempotencyRecords"
)

// Query is the text of one of Queries, on a table of any name, without its
// comment and its semicolon. Parameters are as sqlc and pgx.NamedArgs have
// them: @name. There is no text under an unknown name.
func Query(name, table string) string {
	_, rest, found := strings.Cut(Queries, "-- name: "+name+" ")
	if !found {
		return ""
	}
	text, _, _ := strings.Cut(rest, ";\n")
	_, text, _ = strings.Cut(text, "\n") // the rest of the name's line
	for strings.HasPrefix(text, "--") {
		_, text, _ = strings.Cut(text, "\n")
	}
	return Named(text, table)
}

// Named gives the table its name, a plain identifier, in any of this package's
// texts. Indexes and constraints are named after it.
func Named(text, table string) string { return strings.ReplaceAll(text, Table, table) }

// Rename are the statements that give a table of the last schema another name,
// and its indexes and constraints theirs.
func Rename(from, to string) string {
	return strings.NewReplacer(Table, from, "renamed_records", to).Replace(rename)
}
