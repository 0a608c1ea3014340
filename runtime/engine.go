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
	pool    Pool
	store   Store
	cfg     Config
	flights flights
	recent  recent
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
const maxAttempts = 5

// Run answers a request that Capture has let pass. It runs the handler once
// its key is claimed, or replays what is stored. The error is a *Problem for
// the client, or whatever went wrong, for WriteError to log and to hide.
//
// A transaction that fails with a serialization failure or a deadlock is run
// again, after a jittered pause, unless the handler reads the body as a stream.
func (e *Engine) Run(ctx context.Context, op *Operation, req *Request, handler Handler) (answer *Stored, err error) {
	if req == nil {
		return nil, errors.New("idem: operation " + op.Name + " was reached without Capture")
	}
	defer e.observe(ctx, op, time.Now(), &answer, &err)
	if !req.keyed {
		return e.again(ctx, op, func() (*Stored, error) { return e.runUnclaimed(ctx, op, handler) })
	}
	return e.once(ctx, op, req, func(fl *flight) (*Stored, error) { return e.attempt(ctx, fl, op, req, handler) })
}

// once makes the attempt for the process, or follows the request that does.
func (e *Engine) once(ctx context.Context, op *Operation, req *Request, attempt func(*flight) (*Stored, error)) (*Stored, error) {
	deadline := time.Now().Add(op.Wait)
	for {
		fl, at, leads := e.flights.join(req.id)
		if leads {
			return e.lead(ctx, fl, op, req, deadline, attempt)
		}
		rec, err := e.follow(ctx, fl, at, deadline)
		if err != nil {
			return nil, err
		}
		if rec != nil {
			return rec.replay(req)
		}
	}
}

// lead answers for the process, and waits, if the operation says so, for other
// processes that have the key.
func (e *Engine) lead(ctx context.Context, fl *flight, op *Operation, req *Request, deadline time.Time, attempt func(*flight) (*Stored, error)) (*Stored, error) {
	defer e.flights.land(req.id, fl)
	waiting := false
	for pause := firstPoll; ; pause = min(2*pause, lastPoll) {
		answer, err := e.again(ctx, op, func() (*Stored, error) { return attempt(fl) })
		if !errors.Is(err, errTaken) {
			return answer, err
		}
		fl.look(nil, nil)
		patience := time.Until(deadline)
		if patience > 0 && !waiting {
			if !e.flights.enter(e.cfg.MaxWaiters) {
				return nil, inFlight()
			}
			waiting = true
			defer e.flights.leave()
		}
		if patience <= 0 || sleep(ctx, min(jittered(pause), patience)) != nil {
			return nil, inFlight()
		}
	}
}

// How often a waiting request asks whether another process has finished. No
// connection is held in between.
const (
	firstPoll = 20 * time.Millisecond
	lastPoll  = 320 * time.Millisecond
)

// errTaken: another process has the key.
var errTaken = errors.New("the key is taken")

// again runs one attempt after the other while PostgreSQL asks for it.
func (e *Engine) again(ctx context.Context, op *Operation, attempt func() (*Stored, error)) (*Stored, error) {
	for n := 1; ; n++ {
		began := time.Now()
		answer, err := attempt()
		if err == nil || n == maxAttempts || op.StreamedBody || !wantsAnotherTry(err) {
			return answer, err
		}
		e.cfg.Observer.Observe(ctx, Event{Kind: EventRerun, Operation: op.Name, Duration: time.Since(began), Err: err})
		if sleep(ctx, jittered(time.Duration(n)*10*time.Millisecond)) != nil {
			return nil, err
		}
	}
}

// jittered is between half and one and a half of d, so that those who failed
// together don't meet again.
func jittered(d time.Duration) time.Duration {
	return d/2 + rand.N(d) //nolint:gosec // jitter, not a secret
}

func wantsAnotherTry(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && (pgErr.Code == serializationFailure || pgErr.Code == deadlockDetected)
}

// attempt is one transaction's worth of leading.
func (e *Engine) attempt(ctx context.Context, fl *flight, op *Operation, req *Request, handler Handler) (*Stored, error) {
	s, err := e.openFor(ctx, fl)
	if err != nil {
		return nil, err
	}
	defer s.close(ctx)
	claim, err := s.find(ctx, op, req)
	if err != nil {
		err = unavailable(err)
		if !wantsAnotherTry(err) { // which will be made, and may find out
			fl.look(nil, err)
		}
		return nil, err
	}
	if claim.answers() {
		e.recent.add(req.id)
		fl.look(claim.Record, nil)
		return claim.Record.replay(req)
	}
	if !claim.Locked {
		return nil, errTaken
	}
	fl.look(nil, nil)
	answer, err := s.execute(ctx, handler)
	if err != nil {
		return nil, err
	}
	if !op.stores(answer.Status) {
		return answer, nil
	}
	evict := claim.Record != nil
	if answer.Status >= http.StatusBadRequest && !op.KeepWrites {
		if answer, evict, err = s.undo(ctx, op, req, answer); err != nil || answer.Replayed {
			return answer, err
		}
	}
	return s.store(ctx, fl, op, req, answer, evict)
}

// openFor takes a connection for the leader of a flight, who now works.
func (e *Engine) openFor(ctx context.Context, fl *flight) (*session, error) {
	s, err := e.open(ctx)
	if err != nil {
		err = unavailable(err)
		if ctx.Err() == nil { // else this client has hung up, which isn't the followers' failure
			fl.look(nil, err)
		}
		return nil, err
	}
	e.flights.enters(fl, working)
	return s, nil
}

// answers says that the claim has met a record that is still good.
func (c Claim) answers() bool { return c.Record != nil && !c.Record.Expired }

// runUnclaimed is for a request without a key: in a transaction, but with no
// record.
func (e *Engine) runUnclaimed(ctx context.Context, op *Operation, handler Handler) (*Stored, error) {
	s, err := e.open(ctx)
	if err != nil {
		return nil, unavailable(err)
	}
	defer s.close(ctx)
	if err := s.beginUnclaimed(ctx, op); err != nil {
		return nil, unavailable(err)
	}
	answer, err := s.execute(ctx, handler)
	if err != nil || !op.stores(answer.Status) || answer.Status >= http.StatusBadRequest && !op.KeepWrites {
		return answer, err
	}
	if err := s.commit(ctx, nil, nil, false); errors.Is(err, errCommitUnknown) {
		return nil, unavailable(err)
	} else if err != nil {
		return nil, err
	}
	return answer, nil
}

// store commits the handler's writes, if any are left, and the record of its
// answer.
func (s *session) store(ctx context.Context, fl *flight, op *Operation, req *Request, answer *Stored, evict bool) (*Stored, error) {
	answer.Header = op.replayable(answer.Header)
	rec := answer.toRecord(op, req, s.engine.cfg.MaxStoredResponse)
	s.engine.flights.enters(fl, committing)
	err := s.commit(ctx, req, rec, evict)
	switch {
	case errors.Is(err, errRecordExists):
		return s.lookUp(ctx, op, req)
	case errors.Is(err, errCommitUnknown):
		return s.engine.lookUpElsewhere(ctx, op, req, err)
	case err != nil:
		return nil, err
	}
	s.engine.recent.add(req.id)
	answer.stored = true
	fl.stored = rec
	return answer, nil
}

// undo takes back the handler's writes before its 4xx is stored. The key is
// free for a moment: if another execution takes it, that one's answer counts,
// and never a refusal that isn't stored.
func (s *session) undo(ctx context.Context, op *Operation, req *Request, answer *Stored) (_ *Stored, evict bool, err error) {
	claim, err := s.reclaim(ctx, op, req)
	switch {
	case err != nil:
		return nil, false, err
	case claim.answers():
		answer, err = claim.Record.replay(req)
		return answer, false, err
	}
	return answer, claim.Record != nil, nil
}

// lookUp answers with the record that has won the key, after everything of
// this execution was undone.
func (s *session) lookUp(ctx context.Context, op *Operation, req *Request) (*Stored, error) {
	claim, err := s.reclaim(ctx, op, req)
	switch {
	case err != nil:
		return nil, err
	case claim.answers():
		return claim.Record.replay(req)
	}
	return nil, unavailable(errors.New("the record that was in the way is gone"))
}

// reclaim undoes the transaction and claims the key anew.
func (s *session) reclaim(ctx context.Context, op *Operation, req *Request) (Claim, error) {
	if err := s.rollback(ctx); err != nil {
		return Claim{}, unavailable(err)
	}
	claim, err := s.claim(ctx, op, req)
	if err != nil {
		return Claim{}, unavailable(err)
	}
	if !claim.answers() && !claim.Locked {
		return Claim{}, inFlight()
	}
	return claim, nil
}

// lookUpElsewhere asks, on another connection, what became of a commit whose
// answer was lost. No record means that it didn't happen, or hasn't yet: the
// handler isn't run again, the client is asked to retry.
func (e *Engine) lookUpElsewhere(ctx context.Context, op *Operation, req *Request, lost error) (*Stored, error) {
	began := time.Now()
	claim, err := e.readElsewhere(ctx, req)
	e.cfg.Observer.Observe(ctx, Event{
		Kind: EventCommitLookedUp, Operation: op.Name, Stored: claim.answers(), Duration: time.Since(began), Err: errors.Join(lost, err),
	})
	if err != nil || !claim.answers() {
		return nil, unavailable(errors.Join(lost, err))
	}
	return claim.Record.replay(req)
}

func (e *Engine) readElsewhere(ctx context.Context, req *Request) (Claim, error) {
	s, err := e.open(context.WithoutCancel(ctx))
	if err != nil {
		return Claim{}, err
	}
	defer s.close(ctx)
	return s.read(ctx, req)
}
