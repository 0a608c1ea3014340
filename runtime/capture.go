package runtime

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
)

// Request is what the engine knows of a request to an idempotent operation.
type Request struct {
	key         string // empty: none was sent, and none is required
	id          ID
	fingerprint []byte
}

type requestKey struct{}

// RequestFrom returns the request that Capture put into the context, or nil.
func RequestFrom(ctx context.Context) *Request {
	req, _ := ctx.Value(requestKey{}).(*Request)
	return req
}

// Capture sees a request to an idempotent operation before it is decoded: it
// checks the key, asks for the principal, and reads the body for the
// fingerprint. It returns the request to go on with, whose body can be read
// again. Or it answers the request itself, without having touched the
// database, and returns false.
func (e *Engine) Capture(w http.ResponseWriter, r *http.Request, op *Operation) (*http.Request, bool) {
	req, body, err := e.capture(w, r, op)
	if err != nil {
		e.WriteError(w, r, err)
		return nil, false
	}
	r = r.WithContext(context.WithValue(r.Context(), requestKey{}, req))
	r.Body = restored(r.Body, body)
	return r, true
}

func (e *Engine) capture(w http.ResponseWriter, r *http.Request, op *Operation) (*Request, []byte, error) {
	key, err := op.Key.read(r.Header)
	switch {
	case errors.Is(err, errKeyMissing) && op.Key.Optional:
	case errors.Is(err, errKeyMissing):
		return nil, nil, keyMissing(op.Key.header())
	case err != nil:
		return nil, nil, keyInvalid(op.Key.header(), err)
	}
	scope, err := e.scope(r, op)
	if err != nil {
		return nil, nil, err
	}
	body, err := e.readBody(w, r)
	if err != nil {
		return nil, nil, err
	}
	if key == "" {
		return &Request{}, body, nil
	}
	sum, err := fingerprint(op, r, body)
	if err != nil {
		return nil, nil, newProblem(http.StatusBadRequest, CodeBodyInvalid, "%s", err)
	}
	return &Request{key: key, id: newID(scope, op.Name, key), fingerprint: sum}, body, nil
}

func (e *Engine) scope(r *http.Request, op *Operation) (string, error) {
	if !op.Scope.Principal {
		return "", nil
	}
	principal, err := e.cfg.Principal(r)
	if err == nil && principal == "" {
		err = errors.New("the principal is empty")
	}
	if err == nil {
		return principal, nil
	}
	var problem *Problem
	if errors.As(err, &problem) {
		return "", problem
	}
	e.cfg.Logger.InfoContext(r.Context(), "idem: no principal", "operation", op.Name, "error", err)
	return "", newProblem(http.StatusUnauthorized, CodeUnauthenticated, "the caller isn't known")
}

func (e *Engine) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, e.cfg.MaxRequestBody))
	if err == nil {
		return body, nil
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, bodyTooLarge(tooLarge.Limit)
	}
	return nil, newProblem(http.StatusBadRequest, CodeBodyInvalid, "the body could not be read to its end")
}

// validated is what oapi-codegen's runtime looks for in a body: the value that
// a validating middleware has decoded already.
type validated interface{ ValidatedValue() any }

type body struct {
	*bytes.Reader
	io.Closer
}

type validatedBody struct {
	body
	validated
}

// restored is the body to be read once more, with what the one before it knew.
func restored(before io.ReadCloser, content []byte) io.ReadCloser {
	if before == nil || before == http.NoBody {
		return before
	}
	b := body{bytes.NewReader(content), before}
	if v, ok := before.(validated); ok {
		return validatedBody{b, v}
	}
	return b
}
