package runtime

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
)

// WriteError answers a request that failed: with the problem, if err is one,
// else with a 500 or 503 that says nothing of err. What went wrong in an
// idempotent operation is for the Observer; for the others it is logged.
func (e *Engine) WriteError(w http.ResponseWriter, r *http.Request, err error) {
	var problem *Problem
	var down *unavailableError
	switch {
	case errors.As(err, &problem):
	case errors.As(err, &down):
		problem = storeUnavailable("the database can't be reached or doesn't answer; retry with the same key")
	default:
		problem = internal()
		if RequestFrom(r.Context()) == nil {
			slog.ErrorContext(r.Context(), "idem: request failed", "method", r.Method, "path", r.URL.Path, "error", err)
		}
	}
	e.writeProblem(w, problem)
}

// WriteRequestError answers a request whose parameters or body don't decode. If
// its key has a stored answer, that is it: the request may be a retry from before
// a deploy that changed a type.
func (e *Engine) WriteRequestError(w http.ResponseWriter, r *http.Request, err error) {
	var tooLarge *http.MaxBytesError
	problem := newProblem(http.StatusBadRequest, CodeRequestInvalid, "%s", err)
	if errors.As(err, &tooLarge) {
		problem = bodyTooLarge(tooLarge.Limit)
	}
	req := RequestFrom(r.Context())
	if req == nil || !req.keyed {
		e.writeProblem(w, problem)
		return
	}
	answer, err := e.Run(r.Context(), req.op, req, func(context.Context, *Tx) (Response, error) { return nil, problem })
	if err == nil {
		err = answer.Write(w)
	}
	if err != nil {
		e.WriteError(w, r, err)
	}
}

func (e *Engine) writeProblem(w http.ResponseWriter, p *Problem) {
	if base := e.cfg.ProblemType; base != "" && p.Type == "" && p.Code != "" {
		typed := *p
		typed.Type = strings.TrimSuffix(base, "/") + "/" + p.Code
		p = &typed
	}
	p.Write(w)
}

// unavailableError is for when the database can't be asked, or doesn't tell.
type unavailableError struct{ cause error }

func unavailable(err error) error { return &unavailableError{err} }

func (e *unavailableError) Error() string { return "store unavailable: " + e.cause.Error() }
func (e *unavailableError) Unwrap() error { return e.cause }
