package runtime

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// session is one connection, from the pool and back, with at most one
// transaction open at a time.
type session struct {
	engine *Engine
	pooled *pgxpool.Conn
	link   *link
	queue  queue
	tx     *Tx
}

var (
	// errRecordExists: another execution has committed a record under the key.
	errRecordExists = errors.New("the key's record exists already")
	// errCommitUnknown: the commit was sent, and no answer came back.
	errCommitUnknown = errors.New("it isn't known whether the transaction was committed")
)

// open takes a connection from the pool. A client that hangs up leaves the queue.
func (e *Engine) open(ctx context.Context) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, e.cfg.StoreTimeout)
	defer cancel()
	conn, err := e.pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("get a connection: %w", err)
	}
	return &session{engine: e, pooled: conn, link: linkOf(conn.Conn())}, nil
}

// close rolls back what wasn't committed and gives the connection back. It is
// deferred, so that a panic of the handler ends here too, on its way.
func (s *session) close(ctx context.Context) {
	_ = s.rollback(ctx) // it has closed the connection if it failed
	s.renew(ctx)
	s.pooled.Release()
}

func (s *session) conn() *pgx.Conn { return s.pooled.Conn() }

// step begins a step of the engine's own, and returns its context: not the
// client's, who may hang up. What bounds the step is a deadline on the
// connection, which costs less than a context that is watched. done ends it.
func (s *session) step(ctx context.Context) context.Context {
	_ = s.conn().PgConn().Conn().SetDeadline(time.Now().Add(s.engine.cfg.StoreTimeout)) // where there are none, pgx's contexts don't work either
	return context.WithoutCancel(ctx)
}

func (s *session) done() {
	if conn := s.conn(); !conn.IsClosed() { // else pgx has set its own, for the end
		_ = conn.PgConn().Conn().SetDeadline(time.Time{})
	}
}

// claim begins the transaction, tries to take the key, and reads its record:
// one round trip. Lock and read are two statements, so that the read's snapshot
// is younger than the lock.
func (s *session) claim(ctx context.Context, op *Operation, req *Request) (Claim, error) {
	return s.begin(ctx, op, req, func(ctx context.Context, q *queue) (Claim, error) {
		return s.engine.store.Claim(ctx, q, req.id)
	})
}

// find is claim, unless the request looks like a retry: then the record is read
// first, without a transaction that would have to be ended.
func (s *session) find(ctx context.Context, op *Operation, req *Request) (Claim, error) {
	if !s.engine.recent.has(req.id) {
		return s.claim(ctx, op, req)
	}
	claim, err := s.read(ctx, req)
	if err != nil || claim.answers() {
		return claim, err
	}
	return s.claim(ctx, op, req)
}

// read reads the record of a key: one round trip. It has the lock only for that
// long.
func (s *session) read(ctx context.Context, req *Request) (Claim, error) {
	ctx = s.step(ctx)
	defer s.done()
	q := s.trip()
	claim, err := s.engine.store.Claim(ctx, q, req.id)
	if err := errors.Join(err, q.close()); err != nil {
		return Claim{}, fmt.Errorf("read the record: %w", err)
	}
	claim.Locked = false
	return claim, nil
}

// beginUnclaimed begins the transaction of a request without a key.
func (s *session) beginUnclaimed(ctx context.Context, op *Operation) error {
	_, err := s.begin(ctx, op, &Request{}, func(ctx context.Context, q *queue) (Claim, error) {
		q.flush(ctx)
		return Claim{}, nil
	})
	return err
}

func (s *session) begin(ctx context.Context, op *Operation, req *Request, first func(context.Context, *queue) (Claim, error)) (Claim, error) {
	ctx = s.step(ctx)
	defer s.done()
	q := s.trip()
	if err := q.begin(ctx, op.Isolation); err != nil {
		return Claim{}, fmt.Errorf("begin: %w", err)
	}
	claim, err := first(ctx, q)
	err = errors.Join(err, q.close())
	if tx := q.tx(); tx != nil {
		s.tx = newTx(tx, req)
	}
	if err != nil {
		return Claim{}, fmt.Errorf("claim: %w", err)
	}
	return claim, nil
}

// trip is an empty queue for the next round trip.
func (s *session) trip() *queue {
	s.queue.reset(s.conn(), s.link)
	return &s.queue
}

// commit deletes the expired record and inserts the new one, as far as there are
// any, and commits: one round trip.
// Every error but errCommitUnknown means that nothing was committed.
func (s *session) commit(ctx context.Context, req *Request, rec *Record, evict bool) error {
	if err := s.committable(); err != nil {
		return err
	}
	ctx = s.step(ctx)
	defer s.done()
	q := s.trip()
	if evict {
		s.engine.store.Evict(ctx, q, req.id)
	}
	if rec != nil {
		s.engine.store.Insert(ctx, q, req.id, rec)
	}
	q.batch.Queue("commit")
	s.tx = nil
	return q.commit(ctx)
}

// committable tells whether the handler has left the transaction as it has to.
func (s *session) committable() error {
	if s.conn().IsClosed() {
		return unavailable(errors.New("the connection was lost while the handler ran"))
	}
	switch s.conn().PgConn().TxStatus() {
	case 'T':
		return nil
	case 'E':
		return errors.New("a statement of the handler failed, but the handler returned a response that commits; a failed statement undoes the whole transaction unless tx.Begin made a savepoint before it")
	}
	return errors.New("the handler has ended the transaction itself")
}

// commit sends the queue, whose last statement is COMMIT.
func (q *queue) commit(ctx context.Context) error {
	q.flush(ctx)
	last := q.batch.Len() - 1
	for range last {
		if _, err := q.results.Exec(); err != nil {
			_ = q.close()
			return insertError(err)
		}
	}
	tag, err := q.results.Exec()
	_ = q.close() // whatever it says, the tag has told what became of the transaction
	switch {
	case err != nil && !notCommitted(err):
		return fmt.Errorf("%w: %w", errCommitUnknown, err)
	case err != nil:
		return fmt.Errorf("commit: %w", err)
	case tag.String() != "COMMIT":
		return pgx.ErrTxCommitRollback
	}
	return nil
}

// insertError tells what became of a record whose insert failed. COMMIT was
// sent with it: if the server didn't answer, it may have done both.
func insertError(err error) error {
	var pgErr *pgconn.PgError
	switch {
	case !notCommitted(err):
		return fmt.Errorf("%w: %w", errCommitUnknown, err)
	case errors.As(err, &pgErr) && pgErr.Code == uniqueViolation:
		return errRecordExists
	}
	return fmt.Errorf("insert the record: %w", err)
}

// notCommitted says that an error excludes a commit: nothing was sent, or the
// server has refused a statement and goes on serving, so that nothing after it
// was executed. A FATAL error may come in the place of the answer to a COMMIT
// that was done.
func notCommitted(err error) bool {
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		// Of a connection that breaks while results are awaited, pgx says
		// "conn closed" too, which it calls safe; one that was closed before
		// hasn't come this far.
		return pgconn.SafeToRetry(err) && !errors.Is(err, pgconn.ErrConnClosed)
	}
	severity := pgErr.SeverityUnlocalized
	if severity == "" {
		severity = pgErr.Severity
	}
	return severity == "ERROR"
}

// rollback undoes the transaction, if one is open. A connection on which that
// fails is closed: the server then rolls back by itself.
func (s *session) rollback(ctx context.Context) error {
	if s.tx != nil {
		s.tx.close()
		s.tx = nil
	}
	conn := s.conn()
	if conn.IsClosed() || conn.PgConn().TxStatus() == 'I' {
		return nil
	}
	ctx = s.step(ctx)
	defer s.done()
	if _, err := conn.Exec(ctx, "rollback"); err != nil {
		_ = conn.Close(ctx)
		return fmt.Errorf("rollback: %w", err)
	}
	return nil
}

// renew gives up prepared statements that have failed by being out of date.
func (s *session) renew(ctx context.Context) {
	if len(s.link.stale) == 0 || s.conn().IsClosed() {
		return
	}
	ctx = s.step(ctx)
	defer s.done()
	for _, sql := range s.link.stale {
		_ = s.conn().Deallocate(ctx, sql) // if it fails, the connection is gone too
	}
	s.link.stale = s.link.stale[:0]
}

// Codes of PostgreSQL, appendix A.
const (
	uniqueViolation      = "23505"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	invalidStatementName = "26000"
	featureNotSupported  = "0A000"
)
