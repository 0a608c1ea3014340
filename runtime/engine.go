package runtime

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Pool is what the engine needs of a *pgxpool.Pool.
type Pool interface {
	Acquire(context.Context) (*pgxpool.Conn, error)
}

// Handler does the work of one request through tx and returns the response.
type Handler func(ctx context.Context, tx *Tx) (Response, error)

// Engine runs idempotent operations: each request's work and its record commit
// together or not at all. It is safe for concurrent use, and any number of
// processes can share one database.
type Engine struct {
	pool  Pool
	store Store
	cfg   Config
}

// New returns an engine for operations. It fails on a Config that can't work
// for them.
func New(pool Pool, store Store, cfg Config, operations ...*Operation) (*Engine, error) {
	if pool == nil {
		return nil, errors.New("idem: the pool is nil")
	}
	if err := cfg.validate(operations); err != nil {
		return nil, err
	}
	return &Engine{pool: pool, store: store, cfg: cfg.withDefaults()}, nil
}

// maxAttempts bounds how often a handler runs for one request when PostgreSQL
// asks for another try.
const maxAttempts = 4

// Run answers a request that Capture has let pass. It runs the handler once
// its key is claimed, or replays what is stored. The error is a *Problem for
// the client, or whatever went wrong, for WriteError to log and to hide.
//
// A transaction that fails with a serialization failure or a deadlock is run
// again, after a jittered pause, unless the handler reads the body as a stream.
func (e *Engine) Run(ctx context.Context, op *Operation, req *Request, handler Handler) (*Stored, error) {
	if req == nil {
		return nil, errors.New("idem: operation " + op.Name + " was reached without Capture")
	}
	for attempt := 1; ; attempt++ {
		answer, err := e.attempt(ctx, op, req, handler)
		if err == nil || attempt == maxAttempts || op.StreamedBody || !wantsAnotherTry(err) {
			return answer, err
		}
		pause := time.Duration(attempt) * (5*time.Millisecond + rand.N(10*time.Millisecond)) //nolint:gosec // jitter, not a secret
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, err
		}
	}
}

func wantsAnotherTry(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && (pgErr.Code == serializationFailure || pgErr.Code == deadlockDetected)
}

// attempt is one transaction's worth of Run.
func (e *Engine) attempt(ctx context.Context, op *Operation, req *Request, handler Handler) (*Stored, error) {
	s, err := e.open(ctx)
	if err != nil {
		return nil, unavailable(err)
	}
	defer s.close(ctx)

	if req.key == "" {
		return s.runUnclaimed(ctx, op, handler)
	}
	claim, err := s.claim(ctx, req)
	if err != nil {
		return nil, unavailable(err)
	}
	if claim.answers() {
		return claim.Record.replay(req)
	}
	if !claim.Locked {
		return nil, inFlight()
	}
	answer, err := s.execute(ctx, handler)
	if err != nil {
		return nil, err
	}
	if !op.stores(answer.Status) {
		return answer, nil
	}
	if answer.Status >= http.StatusBadRequest {
		return s.storeRefusal(ctx, op, req, answer)
	}
	return s.store(ctx, op, req, answer, claim.Record != nil)
}

// answers says that the claim has met a record that is still good.
func (c Claim) answers() bool { return c.Record != nil && !c.Record.Expired }

// runUnclaimed is for a request without a key: in a transaction, but with no
// record.
func (s *session) runUnclaimed(ctx context.Context, op *Operation, handler Handler) (*Stored, error) {
	if err := s.beginUnclaimed(ctx); err != nil {
		return nil, unavailable(err)
	}
	answer, err := s.execute(ctx, handler)
	if err != nil || !op.stores(answer.Status) || answer.Status >= http.StatusBadRequest {
		return answer, err
	}
	if err := s.commit(ctx, nil, nil, false); errors.Is(err, errCommitUnknown) {
		return nil, unavailable(err)
	} else if err != nil {
		return nil, err
	}
	return answer, nil
}

// store commits the handler's writes and the record of its answer.
func (s *session) store(ctx context.Context, op *Operation, req *Request, answer *Stored, evict bool) (*Stored, error) {
	answer.Header = op.replayable(answer.Header)
	err := s.commit(ctx, req, answer.toRecord(op, req, s.engine.cfg.MaxStoredResponse), evict)
	switch {
	case errors.Is(err, errRecordExists):
		return s.lookUp(ctx, req)
	case errors.Is(err, errCommitUnknown):
		return s.engine.lookUpElsewhere(ctx, req, err)
	case err != nil:
		return nil, err
	}
	return answer, nil
}

// storeRefusal undoes the handler's writes and stores the 4xx that it answered.
// The key is free for a moment between the two: if another execution takes it,
// that one's answer counts, and never a refusal that isn't stored.
func (s *session) storeRefusal(ctx context.Context, op *Operation, req *Request, answer *Stored) (*Stored, error) {
	if err := s.rollback(ctx); err != nil {
		return nil, unavailable(err)
	}
	claim, err := s.claim(ctx, req)
	switch {
	case err != nil:
		return nil, unavailable(err)
	case claim.answers():
		return claim.Record.replay(req)
	case !claim.Locked:
		return nil, inFlight()
	}
	return s.store(ctx, op, req, answer, claim.Record != nil)
}

// lookUp answers with the record that has won the key, after everything of
// this execution was undone.
func (s *session) lookUp(ctx context.Context, req *Request) (*Stored, error) {
	if err := s.rollback(ctx); err != nil {
		return nil, unavailable(err)
	}
	claim, err := s.claim(ctx, req)
	switch {
	case err != nil:
		return nil, unavailable(err)
	case claim.answers():
		return claim.Record.replay(req)
	case !claim.Locked:
		return nil, inFlight()
	}
	return nil, unavailable(errors.New("the record that was in the way is gone"))
}

// lookUpElsewhere asks, on another connection, what became of a commit whose
// answer was lost. No record means that it didn't happen, or hasn't yet: the
// handler isn't run again, the client is asked to retry.
func (e *Engine) lookUpElsewhere(ctx context.Context, req *Request, lost error) (*Stored, error) {
	s, err := e.open(context.WithoutCancel(ctx))
	if err != nil {
		return nil, unavailable(errors.Join(lost, err))
	}
	defer s.close(ctx)
	claim, err := s.claim(ctx, req)
	if err != nil || !claim.answers() {
		return nil, unavailable(errors.Join(lost, err))
	}
	return claim.Record.replay(req)
}

// unavailable is the answer when the database can't be asked, or doesn't tell.
func unavailable(err error) error {
	return &unavailableError{err}
}

type unavailableError struct{ cause error }

func (e *unavailableError) Error() string { return "idem: store unavailable: " + e.cause.Error() }
func (e *unavailableError) Unwrap() error { return e.cause }
