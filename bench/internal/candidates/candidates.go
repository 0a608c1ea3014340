// Package candidates are the servers that are compared: each is the shop, made
// safe to retry in one way, written as that way's users write it.
package candidates

import (
	"net"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Env is what a server gets.
type Env struct {
	Pool *pgxpool.Pool
	// Redis is the address of a server of that name, for those who need one.
	Redis string
	// Lease is how long a key stays taken by a request that never finished.
	Lease time.Duration
}

// Candidate is one way.
type Candidate struct {
	Name string
	// Title is what reports call it.
	Title string
	// Schema makes the tables that it has besides the shop's.
	Schema string
	// Table keeps the records, if PostgreSQL keeps them. Copies is a statement
	// that makes $1 more of a record like the one that is there.
	Table, Copies string
	// Redis says that it needs one.
	Redis bool
	// KeyHeader is the header that it takes the key from.
	KeyHeader string
	// OrdersOnly: it serves no reviews.
	OrdersOnly bool
	// handler is set if it is one of net/http, else serve is.
	handler func(env Env) (http.Handler, error)
	serve   func(env Env, listener net.Listener) error
}

// All are the candidates, in the order of reports.
var All = []*Candidate{bare, autocommit, idemgen, recipeA, recipeB, recipeC, fiberBare, fiberMemory, fiberRedis}

// Find returns the candidate of that name, or nil.
func Find(name string) *Candidate {
	for _, c := range All {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Handler is what it serves.
func (c *Candidate) Handler(env Env) (http.Handler, error) { return c.handler(env) }

// Serve answers requests until the process ends.
func (c *Candidate) Serve(env Env, listener net.Listener) error {
	if c.serve != nil {
		return c.serve(env, listener)
	}
	handler, err := c.handler(env)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(listener)
}

const idempotencyKey = "Idempotency-Key"

// user is who calls: authentication would have put it there.
func user(r *http.Request) string { return r.Header.Get("X-Api-Key") }
