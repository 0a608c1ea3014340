package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// session is one connection, from the pool and back, with at most one
// transaction open at a time.
type session struct {
	engine *Engine
	pooled *pgxpool.Conn
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
	return &session{engine: e, pooled: conn}, nil
}

// close rolls back what wasn't committed and gives the connection back. It is
// deferred, so that a panic of the handler ends here too, on its way.
func (s *session) close(ctx context.Context) {
	_ = s.rollback(ctx) // it has closed the connection if it failed
	s.pooled.Release()
}

func (s *session) conn() *pgx.Conn { return s.pooled.Conn() }

// step is the context of a step of the engine's own: not the client's, who may
// hang up, and bounded.
func (s *session) step(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), s.engine.cfg.StoreTimeout)
}

// claim begins the transaction, tries to take the key, and reads its record:
// one round trip. Lock and read are two statements, so that the read's snapshot
// is younger than the lock.
func (s *session) claim(ctx context.Context, op *Operation, req *Request) (Claim, error) {
	return s.begin(ctx, op, req, func(ctx context.Context, q *queue) (Claim, error) {
		return s.engine.store.Claim(ctx, q, req.id)
	})
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
	ctx, cancel := s.step(ctx)
	defer cancel()
	q := &queue{Conn: s.conn()}
	q.batch.BeginTx(pgx.TxOptions{IsoLevel: op.Isolation})
	claim, err := first(ctx, q)
	err = errors.Join(err, q.close())
	if q.results != nil {
		s.tx = newTx(q.results.Tx(), req)
	}
	if err != nil {
		return Claim{}, fmt.Errorf("claim: %w", err)
	}
	return claim, nil
}

// commit inserts the record, if there is one, and commits: one round trip.
// Every error but errCommitUnknown means that nothing was committed.
func (s *session) commit(ctx context.Context, req *Request, rec *Record, evict bool) error {
	if err := s.committable(); err != nil {
		return err
	}
	ctx, cancel := s.step(ctx)
	defer cancel()
	q := &queue{Conn: s.conn()}
	if rec != nil {
		if evict {
			s.engine.store.Evict(ctx, q, req.id)
		}
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
			_ = q.results.Close()
			return insertError(err)
		}
	}
	tag, err := q.results.Exec()
	_ = q.results.Close() // whatever it says, the tag has told what became of the transaction
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
	ctx, cancel := s.step(ctx)
	defer cancel()
	if _, err := conn.Exec(ctx, "rollback"); err != nil {
		_ = conn.Close(ctx)
		return fmt.Errorf("rollback: %w", err)
	}
	return nil
}

// Codes of PostgreSQL, appendix A.
const (
	uniqueViolation      = "23505"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	featureNotSupported  = "0A000"
)
