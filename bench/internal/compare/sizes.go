package compare

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/bench/internal/candidates"
)

// Size is what the records of a candidate take in PostgreSQL, in bytes for each.
type Size struct {
	Name    string  `json:"name"`
	Title   string  `json:"title"`
	Records int     `json:"records"`
	Body    int     `json:"body_bytes"`
	Table   float64 `json:"table_bytes"`
	Indexes []Index `json:"indexes"`
}

// Index is one of a table's.
type Index struct {
	Name  string  `json:"name"`
	Bytes float64 `json:"bytes"`
}

// Total is that of the table and its indexes.
func (s Size) Total() float64 {
	sum := s.Table
	for _, index := range s.Indexes {
		sum += index.Bytes
	}
	return sum
}

// sizes lets each candidate store the answer of an order, and makes many more
// records of that one, with random keys.
func (r *runner) sizes(ctx context.Context) error {
	for _, c := range r.candidates() {
		if c.Table == "" {
			continue
		}
		size, err := r.size(ctx, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Title, err)
		}
		r.results.Sizes = append(r.results.Sizes, size)
	}
	return nil
}

func (r *runner) size(ctx context.Context, c *candidates.Candidate) (size Size, err error) {
	database, err := r.makeDatabase(ctx, c.Name+"_size", c)
	if err != nil {
		return size, err
	}
	body, err := r.record(ctx, c, database)
	if err != nil {
		return size, err
	}
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return size, err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	if _, err := conn.Exec(ctx, c.Copies, r.Records); err != nil {
		return size, err
	}
	n := float64(r.Records + 1)
	size = Size{Name: c.Name, Title: c.Title, Records: r.Records + 1, Body: body}
	if err := conn.QueryRow(ctx, "SELECT pg_table_size($1::regclass) / $2::float8", c.Table, n).Scan(&size.Table); err != nil {
		return size, err
	}
	rows, err := conn.Query(ctx, `SELECT indexrelid::regclass::text, pg_relation_size(indexrelid) / $2::float8
		FROM pg_index WHERE indrelid = $1::regclass ORDER BY indisprimary DESC`, c.Table, n)
	if err != nil {
		return size, err
	}
	size.Indexes, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Index])
	return size, err
}

// record has one order answered, and returns how long the answer's body is.
func (r *runner) record(ctx context.Context, c *candidates.Candidate, database string) (int, error) {
	p, err := server{candidate: c, database: database, redis: r.Redis, connections: 1, lease: trialLease}.start(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { _ = p.kill() }() // or it ends with us
	order := &Case{Title: c.Title, candidate: c, path: orders}
	answered, err := answer(ctx, order, p.address, 1)
	if err != nil {
		return 0, err
	}
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close(ctx) }()
	var records int
	if err := conn.QueryRow(ctx, "SELECT count(*) FROM "+pgx.Identifier{c.Table}.Sanitize()).Scan(&records); err != nil {
		return 0, err
	}
	if records != 1 {
		return 0, fmt.Errorf("%d records of one order", records)
	}
	return replayedBody(ctx, p.address, answered[0])
}
