package runtime

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// Write is an operation's business write and its record as one statement, which
// needs no transaction around it. Generated code makes it.
type Write struct {
	// SQL writes, builds the body of the answer, inserts the record with it and
	// returns it as a bytea: one row, or none if nothing was written. Its
	// parameters are Args, and then id, ttl, status, fingerprint, header and the
	// largest body that is stored.
	SQL  string
	Args []any
	// Status and ContentType are those of the answer.
	Status      int
	ContentType string
	// Key is the name of the record table's primary key, by which a record that
	// exists already is told from what else the statement may violate.
	Key string
	// Refused makes a response of what the database has refused: pgx.ErrNoRows
	// if nothing was written, or a *pgconn.PgError, such as for a constraint.
	Refused func(error) (Response, error)
}

// Write answers a request that Capture has let pass with one statement. The
// unique key of its record is the only claim: a duplicate that another process
// executes at the same time is waited for, and then replayed. Otherwise it is as
// Run. An operation with an optional key can't have it.
func (e *Engine) Write(ctx context.Context, op *Operation, req *Request, prepare func(context.Context) (*Write, error)) (answer *Stored, err error) {
	if req == nil || !req.keyed {
		return nil, errors.New("idem: operation " + op.Name + " was reached without a key")
	}
	defer e.observe(ctx, op, time.Now(), &answer, &err)
	return e.once(ctx, op, req, func(fl *flight) (*Stored, error) { return e.attemptWrite(ctx, fl, op, req, prepare) })
}

// attemptWrite is one statement's worth of leading, and what it takes if
// something is in the statement's way.
func (e *Engine) attemptWrite(ctx context.Context, fl *flight, op *Operation, req *Request, prepare func(context.Context) (*Write, error)) (*Stored, error) {
	s, err := e.openFor(ctx, fl)
	if err != nil {
		return nil, err
	}
	defer s.close(ctx)
	if e.recent.has(req.id) {
		claim, err := s.read(ctx, req)
		switch {
		case err != nil:
			return nil, unavailable(err)
		case claim.answers():
			fl.look(claim.Record, nil)
			return claim.Record.replay(req)
		}
	}
	// The statement is its own look: duplicates wait for its end, unless
	// something in the database holds it up.
	held := time.AfterFunc(landing, func() { fl.look(nil, nil) })
	defer held.Stop()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.cfg.HandlerTimeout)
	defer cancel()
	w, err := prepare(ctx)
	if err != nil {
		return s.settle(ctx, fl, op, req, err, nil)
	}
	for {
		answer, err := s.write(ctx, op, req, w)
		var refused *refusedError
		switch {
		case err == nil:
			fl.stored = answer.toRecord(op, req, e.cfg.MaxStoredResponse)
			e.recent.add(req.id)
			return answer, nil
		case errors.Is(err, errRecordExists):
			if answer, err = s.settle(ctx, fl, op, req, nil, nil); answer != nil || err != nil {
				return answer, err
			}
		case errors.As(err, &refused):
			return s.settle(ctx, fl, op, req, refused.cause, w.Refused)
		case errors.Is(err, errCommitUnknown):
			return e.lookUpElsewhere(ctx, op, req, err)
		default:
			return nil, err
		}
	}
}

// refusedError is what the database has against a write.
type refusedError struct{ cause error }

func (r *refusedError) Error() string { return "the write was refused: " + r.cause.Error() }

// write sends the statement: one round trip, in which everything is committed
// or nothing. Every error but errCommitUnknown means that nothing was.
func (s *session) write(ctx context.Context, op *Operation, req *Request, w *Write) (*Stored, error) {
	answer := &Stored{Status: w.Status, Header: http.Header{"Content-Type": {w.ContentType}}, stored: true}
	args := append(slices.Clip(w.Args),
		pgtype.UUID{Bytes: req.id, Valid: true},
		pgtype.Interval{Microseconds: op.TTL.Microseconds(), Valid: true},
		int16(w.Status),
		req.fingerprint,
		encodeHeader(answer.Header),
		s.engine.cfg.MaxStoredResponse,
	)
	var err error
	if s.link.prepares {
		// pgx's own cache forgets a statement that has failed, as a replay can
		// make this one: it would be prepared again and again.
		_, err = s.conn().Prepare(ctx, w.SQL, w.SQL)
	}
	if err == nil {
		err = s.conn().QueryRow(ctx, w.SQL, args...).Scan(&answer.Body)
	}
	var pgErr *pgconn.PgError
	switch {
	case err == nil:
		return answer, nil
	case errors.Is(err, pgx.ErrNoRows):
		return nil, &refusedError{err}
	case !notCommitted(err):
		return nil, fmt.Errorf("%w: %w", errCommitUnknown, err)
	case !errors.As(err, &pgErr) || wantsAnotherTry(err):
		return nil, err
	case outdated(pgErr):
		s.link.stale = append(s.link.stale, w.SQL)
		return nil, err
	case pgErr.Code == uniqueViolation && pgErr.ConstraintName == w.Key:
		return nil, errRecordExists
	}
	return nil, &refusedError{err}
}

// settle answers a request whose statement wasn't executed. If there is a record,
// that is the answer, whatever was in the way: a retry may well meet what the
// first request has written. Else cause is, or what refused makes of it. With
// neither answer nor error a record that has expired is gone, and the statement
// can be sent again.
func (s *session) settle(ctx context.Context, fl *flight, op *Operation, req *Request, cause error, refused func(error) (Response, error)) (*Stored, error) {
	claim, err := s.claim(ctx, op, req)
	switch {
	case err != nil:
		return nil, unavailable(err)
	case claim.answers():
		fl.look(claim.Record, nil)
		s.engine.recent.add(req.id)
		return claim.Record.replay(req)
	case !claim.Locked:
		return nil, errTaken
	case cause == nil:
		if err := s.commit(ctx, req, nil, true); err != nil {
			return nil, unavailable(err)
		}
		return nil, nil
	case refused == nil:
		return nil, cause
	}
	response, err := refused(cause)
	if err == nil && response == nil {
		err = errNoResponse
	}
	if err != nil {
		return nil, err
	}
	answer, err := record(response)
	switch {
	case err != nil:
		return nil, fmt.Errorf("render the response: %w", err)
	case !op.stores(answer.Status):
		return answer, nil
	}
	return s.store(ctx, fl, op, req, answer, claim.Record != nil)
}
