// Package sql holds the canonical SQL of idempotency: the goose migration that
// makes the table, and the sqlc queries that use it.
package sql

import _ "embed"

// Table is the name that the table has in Migration and Queries.
const Table = "idempotency_records"

// Migration is the goose migration of the first version of the table.
//
//go:embed migrations/00001_idempotency.sql
var Migration string

// Steps are the goose migrations of the table: the n-th makes schema n out of the
// one before.
var Steps = []string{Migration}

// rename is for a table of the last schema.
//
//go:embed rename.sql
var rename string

// Queries are the sqlc queries of the record store.
//
//go:embed queries/idempotency.sql
var Queries string
