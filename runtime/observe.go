package runtime

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// observe tells how a request has ended. It is deferred, so that a panic,
// which leaves neither answer nor error, is a failure too.
func (e *Engine) observe(ctx context.Context, op *Operation, began time.Time, answer **Stored, err *error) {
	event := Event{Operation: op.Name, Duration: time.Since(began), Err: *err}
	var problem *Problem
	var down *unavailableError
	switch {
	case errors.As(*err, &problem):
		event.Kind, event.Status = kindOf(problem), problem.Status
	case errors.As(*err, &down):
		event.Kind, event.Status = EventFailed, http.StatusServiceUnavailable
	case *err != nil || *answer == nil:
		event.Kind, event.Status = EventFailed, http.StatusInternalServerError
	case (*answer).Replayed:
		event.Kind, event.Status = EventReplayed, (*answer).Status
	default:
		event.Kind, event.Status, event.Stored = EventExecuted, (*answer).Status, (*answer).stored
	}
	e.cfg.Observer.Observe(ctx, event)
}

// kindOf sorts the problems of Run: the engine's own, or one that the handler
// has returned as its answer.
func kindOf(p *Problem) EventKind {
	switch p.Code {
	case CodeInFlight:
		return EventInFlight
	case CodeKeyReused:
		return EventMismatch
	}
	return EventExecuted
}
