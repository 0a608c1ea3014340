// Package compare measures the candidates beside each other, on one PostgreSQL
// and in one run.
package compare

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/bench/internal/candidates"
)

// Options say what is measured, and where.
type Options struct {
	// DatabaseURL is a server whose user may create databases. DatabasePID is
	// its main process, or 0 if it is somewhere else.
	DatabaseURL string
	DatabasePID int
	// Redis is a server's address; without one, what needs it is left out.
	Redis    string
	RedisPID int
	// Machine is what the numbers depend on.
	Machine Machine
	Command string

	Rounds           int
	WarmUp, Duration time.Duration // of each case in a round
	Connections      int           // of each server's pool
	Records          int           // in the table whose size is measured
	Large            int           // in the large table; 0 leaves it out
	WALRequests      int           // over which WAL is measured
	Storm            int           // duplicates
	Progress         func(format string, args ...any)
}

type runner struct {
	Options
	admin     *pgx.Conn
	databases []pgx.Identifier
	// urls are the candidates' databases, by their names.
	urls    map[string]string
	results *Results
}

// Run measures everything.
func Run(ctx context.Context, options Options) (_ *Results, err error) {
	began := time.Now()
	r := &runner{Options: options, urls: map[string]string{}, results: &Results{Command: options.Command, Machine: options.Machine}}
	if r.admin, err = pgx.Connect(ctx, r.DatabaseURL); err != nil {
		return nil, err
	}
	defer func() {
		ctx := context.WithoutCancel(ctx)
		err = errors.Join(err, r.dropDatabases(ctx), r.admin.Close(ctx))
	}()
	r.notes()
	if err := r.enoughConnections(ctx); err != nil {
		return nil, err
	}
	for _, c := range r.candidates() {
		if r.urls[c.Name], err = r.makeDatabase(ctx, c.Name, c); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Title, err)
		}
	}
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"the guarantees", r.trials},
		{"a storm of duplicates", r.storm},
		{"allocations", r.allocations},
		{"speed", r.speed},
		{"sizes of records", r.sizes},
		{"WAL", r.walOfTables},
	} {
		r.Progress("%s", step.name)
		if err := step.do(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", step.name, err)
		}
	}
	r.results.Goals = goals(r.results)
	r.results.Took = Duration(time.Since(began).Round(time.Second))
	return r.results, nil
}

// candidates are those that can be measured here.
func (r *runner) candidates() (there []*candidates.Candidate) {
	for _, c := range candidates.All {
		if r.Redis != "" || !c.Redis {
			there = append(there, c)
		}
	}
	return there
}

// enoughConnections is for servers that aren't our own.
func (r *runner) enoughConnections(ctx context.Context) error {
	var allowed int
	if err := r.admin.QueryRow(ctx, "SELECT current_setting('max_connections')::int").Scan(&allowed); err != nil {
		return err
	}
	const others = 20
	if needed := len(r.candidates())*r.Connections + others; allowed < needed {
		return fmt.Errorf("the server allows %d connections, %d pools of %d need %d: raise max_connections, or lower -connections",
			allowed, len(r.candidates()), r.Connections, needed)
	}
	return nil
}

func (r *runner) notes() {
	if r.Redis == "" {
		for _, c := range candidates.All {
			if c.Redis {
				r.note("%s: left out, there is no redis-server on PATH (Debian: apt-get install redis-server).", c.Title)
			}
		}
	}
	if !r.measuresCPU() {
		r.note("CPU isn't measured: that takes Linux's /proc, and a database on this machine.")
	}
	if r.Large == 0 {
		r.note("The large table was left out.")
	}
}

func (r *runner) note(format string, args ...any) {
	note := fmt.Sprintf(format, args...)
	r.results.Notes = append(r.results.Notes, note)
	r.Progress("%s", note)
}

// databaseAddress is where the server listens.
func (r *runner) databaseAddress() (string, error) {
	u, err := url.Parse(r.DatabaseURL)
	if err != nil {
		return "", err
	}
	if u.Port() == "" {
		return u.Hostname() + ":5432", nil
	}
	return u.Host, nil
}
