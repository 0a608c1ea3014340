package runtime

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ErrTxManaged is returned by Commit and Rollback of the transaction that a
// handler gets: it ends with the handler, by what the handler returns.
var ErrTxManaged = errors.New("idem: the transaction ends with the handler: return a response to commit, an error to roll back")

// Tx is the transaction of one request, which the record of the request
// commits with. It is a pgx.Tx: what takes one, like sqlc's New or an outbox,
// takes it. Begin makes a savepoint, whose Commit and Rollback are the
// handler's. Once the handler has returned, every method fails with
// pgx.ErrTxClosed. Like any pgx.Tx it serves one goroutine at a time.
type Tx struct {
	guard
	req    *Request
	undone bool // the handler has asked for a rollback
	ended  atomic.Bool
}

var _ pgx.Tx = (*Tx)(nil)

func newTx(pgxTx pgx.Tx, req *Request) *Tx {
	tx := &Tx{req: req}
	tx.guard = guard{tx: pgxTx, closed: &tx.ended}
	return tx
}

// Key is the request's idempotency key as the client meant it, without the
// quotes of an RFC 9651 String; empty if none was sent.
func (tx *Tx) Key() string { return tx.req.key }

// DownstreamKey is the idempotency key to hand to another service, in the form
// of a UUID (version 8 of RFC 9562). It is derived from the request's own
// identity and the name, and so is the same at every retry and for every run
// of the handler; name tells apart the calls of one request. For a request
// without a key there are no retries that could be recognized: it is random.
func (tx *Tx) DownstreamKey(name string) string {
	if !tx.req.keyed {
		return formatUUID(ID(randomBytes()))
	}
	return formatUUID(newID(string(tx.req.id[:]), "downstream", name))
}

// Commit returns ErrTxManaged and does nothing else.
func (tx *Tx) Commit(context.Context) error { return ErrTxManaged }

// Rollback returns ErrTxManaged. What has been asked for is not ignored: the
// request fails, whatever the handler returns, and nothing of it is kept.
func (tx *Tx) Rollback(context.Context) error {
	tx.undone = true
	return ErrTxManaged
}

// guard is a pgx.Tx that closes when the request ends: the connection then
// serves others, and a goroutine that a handler left behind must not reach it.
type guard struct {
	tx     pgx.Tx
	closed *atomic.Bool // shared with all savepoints
}

var closedTx = func() pgx.Tx {
	var b pgx.Batch
	b.BeginTx(pgx.TxOptions{})
	return pgx.FailedBatchResults(&b, pgx.ErrTxClosed).Tx()
}()

func (g *guard) close() { g.closed.Store(true) }

func (g *guard) open() pgx.Tx {
	if g.closed.Load() {
		return closedTx
	}
	return g.tx
}

// Begin starts a savepoint.
func (g *guard) Begin(ctx context.Context) (pgx.Tx, error) {
	savepoint, err := g.open().Begin(ctx)
	if err != nil {
		return nil, err
	}
	return &guard{tx: savepoint, closed: g.closed}, nil
}

// Commit releases the savepoint.
func (g *guard) Commit(ctx context.Context) error { return g.open().Commit(ctx) }

// Rollback goes back to the savepoint.
func (g *guard) Rollback(ctx context.Context) error { return g.open().Rollback(ctx) }

// CopyFrom is pgx.Tx's.
func (g *guard) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, src pgx.CopyFromSource) (int64, error) {
	return g.open().CopyFrom(ctx, table, columns, src)
}

// SendBatch is pgx.Tx's.
func (g *guard) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return g.open().SendBatch(ctx, b)
}

// LargeObjects is pgx.Tx's.
func (g *guard) LargeObjects() pgx.LargeObjects { return g.open().LargeObjects() }

// Prepare is pgx.Tx's.
func (g *guard) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	return g.open().Prepare(ctx, name, sql)
}

// Exec is pgx.Tx's.
func (g *guard) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return g.open().Exec(ctx, sql, args...)
}

// Query is pgx.Tx's.
func (g *guard) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return g.open().Query(ctx, sql, args...)
}

// QueryRow is pgx.Tx's.
func (g *guard) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return g.open().QueryRow(ctx, sql, args...)
}

// Conn is the connection that the transaction runs on, and nil once the
// request has ended. It must not be used to end the transaction.
func (g *guard) Conn() *pgx.Conn { return g.open().Conn() }
