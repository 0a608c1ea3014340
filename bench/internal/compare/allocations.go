package compare

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/bench/internal/candidates"
)

// Allocations are those of one new order, from the parsed request to the
// rendered response.
type Allocations struct {
	Bare    float64 `json:"bare"`
	Idemgen float64 `json:"idemgen"`
}

// allocations counts them in this process: the handlers' alone, and pgx's.
func (r *runner) allocations(ctx context.Context) (err error) {
	if r.results.Allocs.Bare, err = r.allocated(ctx, "bare"); err != nil {
		return err
	}
	r.results.Allocs.Idemgen, err = r.allocated(ctx, "idemgen")
	return err
}

func (r *runner) allocated(ctx context.Context, name string) (float64, error) {
	c := &Case{candidate: candidates.Find(name), path: orders}
	pool, err := newPool(ctx, r.urls[name], 1)
	if err != nil {
		return 0, err
	}
	defer pool.Close()
	handler, err := c.candidate.Handler(candidates.Env{Pool: pool})
	if err != nil {
		return 0, err
	}
	const runs = 500
	t := newTraffic(c, nil)
	requests := make([]*http.Request, 0, runs+1) // with the one that warms up
	for range cap(requests) {
		next := t.fresh()
		request := httptest.NewRequestWithContext(ctx, http.MethodPost, next.Path, strings.NewReader(next.Body))
		request.Header = http.Header{next.KeyHeader: {next.Key}, "Content-Type": {"application/json"}, "X-Api-Key": {"bench"}}
		requests = append(requests, request)
	}
	w := &sink{header: http.Header{}}
	count := testing.AllocsPerRun(runs, func() {
		handler.ServeHTTP(w, requests[0])
		requests = requests[1:]
		if w.status != http.StatusCreated {
			err = fmt.Errorf("%s: a new order got %d", name, w.status)
		}
	})
	return count, err
}

// sink is a response that nobody reads.
type sink struct {
	header http.Header
	status int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(status int)      { s.status = status }
func (s *sink) Write(b []byte) (int, error) { return len(b), nil }
