package contract

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/examples/petstore/api"
	idem "github.com/idemgen/idemgen/runtime"
)

// However the pool's connections are set up, requests run and are replayed.
func TestConnections(t *testing.T) {
	t.Parallel()
	tracer := &tracer{}
	cases := map[string]func(*pgxpool.Config){
		"traced":                 func(c *pgxpool.Config) { c.ConnConfig.Tracer = tracer },
		"small statement cache":  func(c *pgxpool.Config) { c.ConnConfig.StatementCacheCapacity = 1 },
		"simple protocol":        mode(pgx.QueryExecModeSimpleProtocol),
		"nothing is prepared":    mode(pgx.QueryExecModeExec),
		"deallocated when freed": func(c *pgxpool.Config) { c.AfterRelease = deallocated },
		"types of one's own":     func(c *pgxpool.Config) { c.AfterConnect = withMood },
	}
	if !throughPooler() { // whose connections change between the trips of one statement
		cases["descriptions are cached"] = mode(pgx.QueryExecModeCacheDescribe)
		cases["descriptions aren't"] = mode(pgx.QueryExecModeDescribeExec)
	} else {
		delete(cases, "deallocated when freed") // the statements of others
	}
	for name, configure := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, setup{
				url: prepared(t, "CREATE TYPE mood AS ENUM ('good', 'bad')"), poolSize: 1, configure: configure,
				createPet: func(ctx context.Context, tx *idem.Tx, _ api.CreatePetRequestObject) (api.CreatePetResponseObject, error) {
					var got mood
					if err := tx.QueryRow(ctx, "SELECT $1::mood", good).Scan(&got); err != nil || got != good {
						return nil, fmt.Errorf("the mood is %q: %w", got, err)
					}
					return created("Rex"), insertPet(ctx, tx, "Rex")
				},
			})
			for n := range 3 {
				key := fmt.Sprint("k", n)
				first := s.post(key).Want(t, http.StatusCreated)
				again := s.post(key).Want(t, http.StatusCreated)
				if !again.Replayed() || string(again.Body) != string(first.Body) {
					t.Errorf("first %s, then %s", first.Body, again.Body)
				}
			}
			s.wantRows(3, 3)
		})
	}
	t.Cleanup(func() { // when all of them are through
		for _, part := range []string{"begin", "GetIdempotencyRecord", "INSERT INTO pets", "InsertIdempotencyRecord", "commit"} {
			if !tracer.saw(part) {
				t.Errorf("the tracer hasn't seen %s", part)
			}
		}
	})
}

// A statement that was prepared for a table as it was, or that is gone, fails
// once, and is then prepared anew.
func TestStatementsArePreparedAnew(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	s := start(t, setup{url: url, poolSize: 1})
	s.post("a").Want(t, http.StatusCreated)
	s.post("b").Want(t, http.StatusCreated) // on a connection that is known
	for n, sql := range []string{
		"ALTER TABLE idempotency_records ALTER COLUMN status TYPE integer",
		"ALTER TABLE idempotency_records ALTER COLUMN header TYPE bytea USING header, ADD COLUMN note text",
		"DEALLOCATE ALL",
	} {
		db := s.db
		if sql == "DEALLOCATE ALL" && !throughPooler() {
			db = s.pool // only what it has prepared itself
		}
		if _, err := db.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
		key, failures := fmt.Sprint("k", n), 0
		for s.post(key).Status != http.StatusCreated {
			if failures++; failures > 3 { // the claim, the handler, the record: each has statements of its own
				t.Fatalf("after %s: still failing", sql)
			}
		}
		for n := range 5 {
			s.post(fmt.Sprint(key, n)).Want(t, http.StatusCreated)
		}
		if !s.post(key).Want(t, http.StatusCreated).Replayed() {
			t.Errorf("after %s: not replayed", sql)
		}
	}
	s.wantRows(20, 20)
}

func mode(mode pgx.QueryExecMode) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = mode }
}

func deallocated(conn *pgx.Conn) bool { return conn.DeallocateAll(context.Background()) == nil }

// mood is an enum of the database.
type mood string

const good mood = "good"

func withMood(ctx context.Context, conn *pgx.Conn) error {
	moods, err := conn.LoadType(ctx, "mood")
	if err == nil {
		conn.TypeMap().RegisterType(moods)
	}
	return err
}

// tracer remembers the statements that it was told of.
type tracer struct {
	mu   sync.Mutex
	seen []string
}

func (tr *tracer) see(sql string) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.seen = append(tr.seen, sql)
}

func (tr *tracer) saw(part string) bool {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return slices.ContainsFunc(tr.seen, func(sql string) bool { return strings.Contains(sql, part) })
}

func (tr *tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	tr.see(data.SQL)
	return ctx
}

func (*tracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (*tracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

func (tr *tracer) TraceBatchQuery(_ context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	tr.see(data.SQL)
}

func (*tracer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}
