package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"

	"github.com/idemgen/idemgen/examples/river/api"
	"github.com/idemgen/idemgen/pgtest"
	idem "github.com/idemgen/idemgen/runtime"
)

// service is the real thing, on a database of its own.
type service struct {
	t     *testing.T
	pool  *pgxpool.Pool
	jobs  *river.Client[pgx.Tx]
	mails chan ReceiptArgs
	url   string
}

// start serves the shop, whose handlers a test may wrap.
func start(t *testing.T, wrap func(api.Handlers) api.Handlers) *service {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), pgtest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	if err := migrate(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	s := &service{t: t, pool: pool, mails: make(chan ReceiptArgs, 10)}
	s.jobs, err = newJobs(pool, func(ctx context.Context, _ int64, receipt ReceiptArgs) error {
		var placed bool
		err := pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM orders WHERE id = $1)", receipt.OrderID).Scan(&placed)
		if err != nil || !placed {
			t.Errorf("a job runs for order %d, which isn't there: %v", receipt.OrderID, err)
		}
		s.mails <- receipt
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	handler, err := api.NewHandler(pool, wrap(&Shop{s.jobs}), idem.Config{Observer: idem.LogObserver{Logger: slog.New(slog.DiscardHandler)}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func asIs(handlers api.Handlers) api.Handlers { return handlers }

// place sends an order, and returns the status and the body of the answer.
func (s *service) place(key string) (status int, body string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+"/orders",
		strings.NewReader(`{"email": "jo@example.com", "quantity": 2}`))
	if err != nil {
		s.t.Error(err)
		return 0, ""
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Error(err)
		return 0, ""
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Error(err)
	}
	return response.StatusCode, string(content)
}

func (s *service) wantRows(orders, jobs, records int) {
	s.t.Helper()
	var got [3]int
	err := s.pool.QueryRow(s.t.Context(), `SELECT (SELECT count(*) FROM orders),
		(SELECT count(*) FROM river_job), (SELECT count(*) FROM idempotency_records)`).Scan(&got[0], &got[1], &got[2])
	if err != nil {
		s.t.Fatal(err)
	}
	if want := [3]int{orders, jobs, records}; got != want {
		s.t.Errorf("orders, jobs, records: %v, want %v", got, want)
	}
}

func TestRetriesEnqueueOnce(t *testing.T) {
	t.Parallel()
	s := start(t, asIs)
	var duplicates sync.WaitGroup
	for range 8 {
		duplicates.Go(func() {
			if status, body := s.place("k1"); status != http.StatusCreated && status != http.StatusConflict {
				t.Errorf("%d %s", status, body)
			}
		})
	}
	duplicates.Wait()
	s.wantRows(1, 1, 1)

	_, first := s.place("k1")
	if status, again := s.place("k1"); status != http.StatusCreated || again != first {
		t.Errorf("the retry got %d %s, want %s", status, again, first)
	}
	s.wantRows(1, 1, 1)
	s.place("k2")
	s.wantRows(2, 2, 2)
}

// failing fails after the order and the job are written, once.
type failing struct {
	api.Handlers
	failed bool
}

func (f *failing) PlaceOrder(ctx context.Context, tx *idem.Tx, request api.PlaceOrderRequestObject) (api.PlaceOrderResponseObject, error) {
	response, err := f.Handlers.PlaceOrder(ctx, tx, request)
	if err == nil && !f.failed {
		f.failed = true
		return nil, errors.New("the last step failed")
	}
	return response, err
}

func TestFailureLeavesNoJob(t *testing.T) {
	t.Parallel()
	s := start(t, func(handlers api.Handlers) api.Handlers { return &failing{Handlers: handlers} })
	if status, body := s.place("k1"); status != http.StatusInternalServerError {
		t.Fatalf("%d %s, want 500", status, body)
	}
	s.wantRows(0, 0, 0)
	if status, body := s.place("k1"); status != http.StatusCreated {
		t.Fatalf("the retry got %d %s", status, body)
	}
	s.wantRows(1, 1, 1)
}

func TestReceiptIsMailed(t *testing.T) {
	t.Parallel()
	s := start(t, asIs)
	if err := s.jobs.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if status, body := s.place("k1"); status != http.StatusCreated {
			t.Fatalf("%d %s", status, body)
		}
	}
	select {
	case got := <-s.mails:
		if got.Email != "jo@example.com" || got.OrderID == 0 {
			t.Errorf("mailed %+v", got)
		}
	case <-time.After(20 * time.Second):
		t.Error("nothing was mailed")
	}
	if err := s.jobs.Stop(t.Context()); err != nil { // works on what there is
		t.Error(err)
	}
	if more := len(s.mails); more > 0 {
		t.Errorf("%d mails too many", more)
	}
	s.wantRows(1, 1, 1)
}
