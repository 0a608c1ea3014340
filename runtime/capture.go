package runtime

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// Request is what the engine knows of a request to an idempotent operation.
type Request struct {
	op          *Operation
	key         string
	keyed       bool // a key was sent; where it is optional, it may not be
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
	began := time.Now()
	req, body, err := e.capture(w, r, op)
	if err != nil {
		e.refuse(w, r, op, began, err)
		return nil, false
	}
	r = r.WithContext(context.WithValue(r.Context(), requestKey{}, req))
	r.Body = restored(r.Body, body)
	return r, true
}

func (e *Engine) refuse(w http.ResponseWriter, r *http.Request, op *Operation, began time.Time, problem *Problem) {
	e.cfg.Observer.Observe(r.Context(), Event{
		Kind: EventRefused, Operation: op.Name, Status: problem.Status, Duration: time.Since(began), Err: problem,
	})
	e.writeProblem(w, problem)
}

func (e *Engine) capture(w http.ResponseWriter, r *http.Request, op *Operation) (*Request, []byte, *Problem) {
	key, problem := op.Key.fromHeader(r)
	if problem != nil {
		return nil, nil, problem
	}
	scope, problem := e.scope(r, op)
	if problem != nil {
		return nil, nil, problem
	}
	body, problem := e.readBody(w, r)
	if problem != nil {
		return nil, nil, problem
	}
	if op.Key.Pointers != nil {
		if key, problem = op.Key.fromBody(r, body); problem != nil {
			return nil, nil, problem
		}
	}
	if key == "" {
		return &Request{op: op}, body, nil
	}
	sum, err := fingerprint(op, r, body)
	if err != nil {
		return nil, nil, newProblem(http.StatusBadRequest, CodeBodyInvalid, "%s", err)
	}
	return &Request{op: op, key: key, keyed: true, id: newID(scope, op.Name, key), fingerprint: sum}, body, nil
}

// fromHeader reads the key, unless it is in the body. It is empty if it is
// optional and wasn't sent.
func (k *Key) fromHeader(r *http.Request) (string, *Problem) {
	if k.Pointers != nil {
		return "", nil
	}
	key, err := k.read(r.Header)
	switch {
	case errors.Is(err, errKeyMissing) && k.Optional:
		return "", nil
	case errors.Is(err, errKeyMissing):
		return "", keyMissing(k.header())
	case err != nil:
		return "", keyInvalid("the header "+k.header(), err)
	}
	return key, nil
}

// fromBody reads a natural key.
func (k *Key) fromBody(r *http.Request, body []byte) (string, *Problem) {
	key, err := naturalKey(k.Pointers, r, body)
	switch {
	case errors.Is(err, errNaturalMissing) && k.Optional:
		return "", nil
	case errors.Is(err, errNaturalMissing):
		return "", newProblem(http.StatusBadRequest, CodeKeyMissing, "%s", err)
	case err == nil:
		err = k.check(key)
	}
	if err != nil {
		return "", keyInvalid("the key in the body", err)
	}
	return key, nil
}

// scope puts together what the operation's keys belong to. A part that is
// missing is refused: requests that lack it would share their keys.
func (e *Engine) scope(r *http.Request, op *Operation) (string, *Problem) {
	var b []byte
	if op.Scope.Principal {
		principal, problem := e.principal(r)
		if problem != nil {
			return "", problem
		}
		b = appendString(append(b, 'p'), principal)
	}
	for _, name := range op.Scope.PathParams {
		b = appendString(appendString(append(b, '/'), name), r.PathValue(name))
	}
	for _, name := range op.Scope.Headers {
		values := r.Header.Values(name)
		if len(values) != 1 || values[0] == "" {
			return "", newProblem(http.StatusBadRequest, CodeRequestInvalid, "this operation needs the header %s, once and not empty", name)
		}
		b = appendString(appendString(append(b, 'h'), http.CanonicalHeaderKey(name)), values[0])
	}
	return string(b), nil
}

func (e *Engine) principal(r *http.Request) (string, *Problem) {
	principal, err := e.cfg.Principal(r)
	if err == nil && principal != "" {
		return principal, nil
	}
	var problem *Problem
	if errors.As(err, &problem) {
		return "", problem
	}
	return "", newProblem(http.StatusUnauthorized, CodeUnauthenticated, "the caller isn't known")
}

func (e *Engine) readBody(w http.ResponseWriter, r *http.Request) ([]byte, *Problem) {
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
