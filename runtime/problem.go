package runtime

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// Problem is an RFC 9457 problem: what a client gets when the engine, and not
// the handler, answers. A handler may return one as its error: everything is
// undone, nothing is stored, and the client gets the problem.
type Problem struct {
	// Type is a URI. Left empty it is about:blank, or Config.ProblemType and
	// the code.
	Type string `json:"type,omitempty"`
	// Title is the status in words.
	Title string `json:"title"`
	// Status is the HTTP status.
	Status int `json:"status"`
	// Detail says what is wrong and what helps. It never holds the key.
	Detail string `json:"detail,omitempty"`
	// Code is stable, for programs: one of the Code constants.
	Code string `json:"code,omitempty"`
	// RetryAfter, in seconds, goes into the header of that name. 0: none.
	RetryAfter int `json:"-"`
}

// The codes of the problems that the engine answers with.
const (
	CodeKeyMissing       = "key-missing"
	CodeKeyInvalid       = "key-invalid"
	CodeKeyReused        = "key-reused"
	CodeInFlight         = "in-flight"
	CodeBodyTooLarge     = "body-too-large"
	CodeBodyInvalid      = "body-invalid"
	CodeRequestInvalid   = "request-invalid"
	CodeUnauthenticated  = "unauthenticated"
	CodeStoreUnavailable = "store-unavailable"
	CodeInternal         = "internal"
)

// NewProblem returns a problem with the title that belongs to the status.
func NewProblem(status int, code, detail string) *Problem {
	return newProblem(status, code, "%s", detail)
}

func newProblem(status int, code, format string, args ...any) *Problem {
	return &Problem{
		Title:  http.StatusText(status),
		Status: status,
		Code:   code,
		Detail: fmt.Sprintf(format, args...),
	}
}

// Error makes a problem an error that Config.Principal can return.
func (p *Problem) Error() string {
	return fmt.Sprintf("%d %s: %s", p.Status, p.Code, p.Detail)
}

// Write answers with the problem.
func (p *Problem) Write(w http.ResponseWriter) {
	body, err := json.Marshal(p)
	if err != nil { // strings and numbers always marshal
		body = []byte(`{}`)
	}
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "no-store")
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(body, '\n')) // a client that is gone isn't ours to report
}

func keyMissing(header string) *Problem {
	return newProblem(http.StatusBadRequest, CodeKeyMissing,
		"this operation needs the header %s: a value of 1 to 255 printable ASCII characters, new for each operation and the same at each retry", header)
}

func keyInvalid(what string, err error) *Problem {
	return newProblem(http.StatusBadRequest, CodeKeyInvalid, "%s can't be used: %s", what, err)
}

func bodyTooLarge(limit int64) *Problem {
	return newProblem(http.StatusRequestEntityTooLarge, CodeBodyTooLarge, "the body has more than the %d bytes that this service takes", limit)
}

func keyReused() *Problem {
	return newProblem(http.StatusUnprocessableEntity, CodeKeyReused,
		"this key was used with another request; a new request needs a new key")
}

func inFlight() *Problem {
	p := newProblem(http.StatusConflict, CodeInFlight, "a request with this key is being processed; retry it later")
	p.RetryAfter = 1
	return p
}

func storeUnavailable(detail string) *Problem {
	p := newProblem(http.StatusServiceUnavailable, CodeStoreUnavailable, "%s", detail)
	p.RetryAfter = 1
	return p
}

func internal() *Problem {
	return newProblem(http.StatusInternalServerError, CodeInternal,
		"the request failed and nothing of it was kept; it can be retried with the same key")
}
