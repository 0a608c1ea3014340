package shoptest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/examples/petstore/internal/auth"
)

// KeyHeader carries the idempotency key.
const KeyHeader = "Idempotency-Key"

const requestTimeout = 30 * time.Second

// Client sends requests with one API key, and compares every answer with the
// enriched document. It is safe for concurrent use.
type Client struct {
	t       testing.TB
	baseURL string
	apiKey  string
	http    *http.Client
	sent    *atomic.Int64

	unchecked bool
}

// Unchecked is the client for handlers that answer what the spec doesn't have:
// its answers aren't compared with the document.
func (c *Client) Unchecked() *Client {
	other := *c
	other.unchecked = true
	return &other
}

// NewClient returns a client for the service at baseURL; an empty API key isn't
// sent.
func NewClient(t testing.TB, baseURL, apiKey string) *Client {
	transport := &http.Transport{MaxIdleConnsPerHost: 64} // as many as a test sends at once
	t.Cleanup(transport.CloseIdleConnections)
	return &Client{t: t, baseURL: baseURL, apiKey: apiKey, http: &http.Client{Transport: transport, Timeout: requestTimeout}, sent: new(atomic.Int64)}
}

// URL is that of the service.
func (c *Client) URL() string { return c.baseURL }

// Response is an answer, read to its end.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do sends a request; an empty idempotency key isn't sent. Every other one is
// sent as an RFC 9651 String, which is the same key: so whatever a test finds
// out, it does with both spellings. The body is JSON text
// if it is a string, a form if it is url.Values, none if it is nil, and anything
// else is made JSON. A request without an answer is an error of the test, and
// gives the zero Response: Do may be called from any goroutine.
func (c *Client) Do(method, path, idempotencyKey string, body any) Response {
	c.t.Helper()
	header := http.Header{}
	if idempotencyKey != "" {
		header.Set(KeyHeader, c.spelled(idempotencyKey))
	}
	response, err := c.Send(context.Background(), method, path, header, body)
	if err != nil {
		c.t.Error(err)
	}
	return response
}

func (c *Client) spelled(key string) string {
	if c.sent.Add(1)%2 == 1 {
		return key
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
}

// Send is Do with headers of any kind, and leaves the error to the caller.
func (c *Client) Send(ctx context.Context, method, path string, header http.Header, body any) (Response, error) {
	content, mediaType, err := encode(body)
	if err != nil {
		return Response{}, err
	}
	request, err := http.NewRequestWithContext(ctx, method, c.baseURL+path, content)
	if err != nil {
		return Response{}, err
	}
	request.Header = header.Clone()
	if mediaType != "" && header.Get("Content-Type") == "" {
		request.Header.Set("Content-Type", mediaType)
	}
	if c.apiKey != "" {
		request.Header.Set(auth.Header, c.apiKey)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return Response{}, err
	}
	defer func() { _ = response.Body.Close() }() // read to its end, or failed
	got, err := io.ReadAll(response.Body)
	answer := Response{Status: response.StatusCode, Header: response.Header, Body: got}
	if err == nil && !c.unchecked {
		if problem := enriched().Check(request, answer); problem != nil {
			c.t.Errorf("%s %s: the answer isn't as the enriched document has it: %v\n%d %v\n%s", method, path, problem, answer.Status, answer.Header, got)
		}
	}
	return answer, err
}

func encode(body any) (content io.Reader, mediaType string, err error) {
	switch b := body.(type) {
	case nil:
		return nil, "", nil
	case string:
		return strings.NewReader(b), "application/json", nil
	case url.Values:
		return strings.NewReader(b.Encode()), "application/x-www-form-urlencoded", nil
	}
	text, err := json.Marshal(body)
	return bytes.NewReader(text), "application/json", err
}

// Want ends the test unless the response has this status. It returns the
// response, to be decoded.
func (r Response) Want(t testing.TB, status int) Response {
	t.Helper()
	if r.Status != status {
		t.Fatalf("status %d, want %d; body: %s", r.Status, status, r.Body)
	}
	return r
}

// WantProblem ends the test unless the response is a problem of this status
// and code.
func (r Response) WantProblem(t testing.TB, status int, code string) {
	t.Helper()
	r.Want(t, status)
	if got := r.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Fatalf("content type %q, want a problem; body: %s", got, r.Body)
	}
	problem := Decode[struct {
		Status        int
		Code          string
		Title, Detail string
	}](t, r)
	if problem.Status != status || problem.Code != code || problem.Title == "" || problem.Detail == "" {
		t.Fatalf("problem %s, want status %d, code %q, a title and a detail", r.Body, status, code)
	}
}

// Replayed says that the answer was made for an earlier request.
func (r Response) Replayed() bool { return r.Header.Get("Idempotency-Replayed") == "true" }

// Decode makes a value of a JSON body, or ends the test.
func Decode[T any](t testing.TB, r Response) T {
	t.Helper()
	var value T
	if err := json.Unmarshal(r.Body, &value); err != nil {
		t.Fatalf("%v; body: %s", err, r.Body)
	}
	return value
}
