// Package shop is the business: what the operations of openapi.yaml do. An
// idempotent operation gets a transaction and writes through db.New(tx); the
// others read, or write with one statement, through db.New(s.pool).
package shop

import (
	"net/http"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/internal/db"
)

// Shop implements the operations. It is safe for concurrent use.
type Shop struct{ pool db.DBTX }

var _ api.Handlers = (*Shop)(nil)

// New returns a shop whose data is in pool, a *pgxpool.Pool.
func New(pool db.DBTX) *Shop { return &Shop{pool} }

// problem makes the body of a 4xx. The code is for programs, and doesn't change.
func problem(status int, code, detail string) api.Problem {
	return api.Problem{Title: http.StatusText(status), Status: status, Code: code, Detail: detail}
}

// noSuch is the problem of what the tenant doesn't have: nobody has it, or
// another tenant, which is not for this one to know.
func noSuch(thing string) api.Problem {
	return problem(http.StatusNotFound, thing+"-not-found", "there is no such "+thing)
}

// pageSize is the limit parameter, or its default.
func pageSize(limit *api.Limit) int32 { return or(limit, 50) }

func or[T any](p *T, fallback T) T {
	if p == nil {
		return fallback
	}
	return *p
}

// each converts rows; no rows make an empty list, which is [] in JSON and not null.
func each[From, To any](rows []From, convert func(From) To) []To {
	list := make([]To, len(rows))
	for i, row := range rows {
		list[i] = convert(row)
	}
	return list
}
