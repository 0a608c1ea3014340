package runtime

import (
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

// WriteRequestError answers a request whose parameters or body don't decode.
func (e *Engine) WriteRequestError(w http.ResponseWriter, _ *http.Request, err error) {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		e.writeProblem(w, bodyTooLarge(tooLarge.Limit))
		return
	}
	e.writeProblem(w, newProblem(http.StatusBadRequest, CodeRequestInvalid, "%s", err))
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
