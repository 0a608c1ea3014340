package contract

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/internal/shop"
	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
	idem "github.com/idemgen/idemgen/runtime"
)

// operation is a public operation with a short contract.
func operation() *idem.Operation {
	return &idem.Operation{Name: "op", Scope: idem.Scope{Public: true}, TTL: time.Hour}
}

// status is an empty response.
func status(code int) idem.Response {
	return func(w http.ResponseWriter) error {
		w.WriteHeader(code)
		return nil
	}
}

func pets(t *testing.T, s *engineServer) int {
	t.Helper()
	var n int
	if err := s.pool.QueryRow(t.Context(), "SELECT count(*) FROM pets").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestKeepWrites(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{false, true} {
		op := operation()
		op.KeepWrites = keep
		s := serveOperation(t, migrated(t), idem.Config{}, op, func(ctx context.Context, tx *idem.Tx) (idem.Response, error) {
			return status(http.StatusConflict), insertPet(ctx, tx, "Rex")
		})
		s.post("k", "").Want(t, http.StatusConflict)
		if !s.post("k", "").Want(t, http.StatusConflict).Replayed() {
			t.Error("the 409 isn't stored")
		}
		want := 0
		if keep {
			want = 1
		}
		if got := pets(t, s); got != want {
			t.Errorf("keep-writes %t: %d pets, want %d", keep, got, want)
		}
	}
}

func TestStoredStatuses(t *testing.T) {
	t.Parallel()
	op := operation()
	op.Store = []idem.StatusRange{{First: 200, Last: 299}, {First: 402, Last: 402}}
	var code atomic.Int32
	s := serveOperation(t, migrated(t), idem.Config{}, op, func(context.Context, *idem.Tx) (idem.Response, error) {
		return status(int(code.Load())), nil
	})
	for want, stored := range map[int]bool{200: true, 204: true, 402: true, 302: false, 409: false, 429: false, 500: false} {
		code.Store(int32(want))
		key := fmt.Sprint("key-", want)
		s.post(key, "").Want(t, want)
		if got := s.post(key, "").Want(t, want).Replayed(); got != stored {
			t.Errorf("%d: replayed %t, want %t", want, got, stored)
		}
	}
}

// Exactly once under each isolation level: those whose snapshot is older than
// the lock are decided by the unique key.
func TestIsolation(t *testing.T) {
	t.Parallel()
	for _, level := range []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable} {
		t.Run(string(level), func(t *testing.T) {
			t.Parallel()
			op := operation()
			op.Isolation = level
			url := migrated(t)
			handler := func(ctx context.Context, tx *idem.Tx) (idem.Response, error) {
				var got string
				if err := tx.QueryRow(ctx, "SHOW transaction_isolation").Scan(&got); err != nil || got != string(level) {
					return nil, fmt.Errorf("the isolation is %q: %w", got, err)
				}
				return text("done"), insertPet(ctx, tx, tx.Key())
			}
			servers := []*engineServer{serveOperation(t, url, idem.Config{}, op, handler), serveOperation(t, url, idem.Config{}, op, handler)}
			const keys, copies = 20, 10
			var wg sync.WaitGroup
			for i := range keys {
				for n := range copies {
					wg.Go(func() {
						for {
							r := servers[n%2].post(fmt.Sprint("key-", i), "")
							if r.Status == http.StatusOK {
								return
							}
							if !inFlight(r) {
								t.Errorf("got %d %s", r.Status, r.Body)
								return
							}
							time.Sleep(10 * time.Millisecond)
						}
					})
				}
			}
			wg.Wait()
			if got := pets(t, servers[0]); got != keys {
				t.Errorf("%d executions, want %d", got, keys)
			}
		})
	}
}

func TestScopeParts(t *testing.T) {
	t.Parallel()
	op := operation()
	op.Scope = idem.Scope{PathParams: []string{"id"}, Headers: []string{"x-region"}}
	s := serveOperation(t, migrated(t), idem.Config{}, op, func(context.Context, *idem.Tx) (idem.Response, error) {
		return text("done"), nil
	})
	send := func(path string, regions ...string) shoptest.Response {
		header := http.Header{shoptest.KeyHeader: {"k"}, "X-Region": regions}
		r, err := s.client.Send(t.Context(), http.MethodPost, path, header, "")
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for range 2 { // the second time all are replays: the four don't share a key
		want := send("/op/1", "eu").Replayed()
		for _, r := range []shoptest.Response{send("/op/1", "us"), send("/op/2", "eu"), send("/op/2", "us")} {
			if r.Want(t, http.StatusOK).Replayed() != want {
				t.Errorf("replayed: %t, want %t", !want, want)
			}
		}
	}
	send("/op/1").WantProblem(t, http.StatusBadRequest, idem.CodeRequestInvalid)
	send("/op/1", "").WantProblem(t, http.StatusBadRequest, idem.CodeRequestInvalid)
	send("/op/1", "eu", "us").WantProblem(t, http.StatusBadRequest, idem.CodeRequestInvalid)
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	pool := newPool(t, migrated(t), 0)
	for name, change := range map[string]func(*idem.Operation){
		"no scope":                 func(op *idem.Operation) { op.Scope = idem.Scope{} },
		"public and not":           func(op *idem.Operation) { op.Scope.Headers = []string{"X-Region"} },
		"principal without a func": func(op *idem.Operation) { op.Scope = idem.Scope{Principal: true} },
		"no ttl":                   func(op *idem.Operation) { op.TTL = 0 },
		"no name":                  func(op *idem.Operation) { op.Name = "" },
	} {
		op := operation()
		change(op)
		if _, err := idem.New(pool, nil, idem.Config{}, op); err == nil {
			t.Errorf("%s: New took it", name)
		}
	}
	if _, err := api.NewHandler(pool, shop.New(pool), idem.Config{}); err == nil || !strings.Contains(err.Error(), "Config.Principal") {
		t.Errorf("the generated NewHandler without a principal: %v", err)
	}
}

// events notes what an Observer is told.
type events struct {
	mu  sync.Mutex
	all []idem.Event
}

func (e *events) Observe(_ context.Context, event idem.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, event)
}

// take returns the kinds since the last call.
func (e *events) take() []idem.EventKind {
	e.mu.Lock()
	defer e.mu.Unlock()
	var kinds []idem.EventKind
	for _, event := range e.all {
		kinds = append(kinds, event.Kind)
	}
	e.all = nil
	return kinds
}

func TestObserver(t *testing.T) {
	t.Parallel()
	var seen events
	var fail atomic.Pointer[func(context.Context, *idem.Tx) (idem.Response, error)]
	s := serveOperation(t, migrated(t), idem.Config{Observer: &seen}, operation(), func(ctx context.Context, tx *idem.Tx) (idem.Response, error) {
		if f := fail.Load(); f != nil {
			return (*f)(ctx, tx)
		}
		return text("done"), nil
	})
	want := func(kinds ...idem.EventKind) {
		t.Helper()
		if got := seen.take(); !slices.Equal(got, kinds) {
			t.Errorf("got %v, want %v", got, kinds)
		}
	}
	s.post("k", "a")
	want(idem.EventExecuted)
	s.post("k", "a")
	want(idem.EventReplayed)
	s.post("k", "b")
	want(idem.EventMismatch)
	s.post("", "a")
	want(idem.EventRefused)

	runs := 0
	again := func(ctx context.Context, tx *idem.Tx) (idem.Response, error) {
		if runs++; runs == 1 {
			_, err := tx.Exec(ctx, "DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40P01'; END $$")
			return nil, err
		}
		return text("done"), nil
	}
	fail.Store(&again)
	s.post("rerun", "")
	want(idem.EventRerun, idem.EventExecuted)

	broken := func(context.Context, *idem.Tx) (idem.Response, error) { return nil, fmt.Errorf("broken") }
	fail.Store(&broken)
	s.post("broken", "")
	want(idem.EventFailed)

	inside := func(context.Context, *idem.Tx) (idem.Response, error) {
		s.post("nested", "").WantProblem(t, http.StatusConflict, idem.CodeInFlight)
		return text("done"), nil
	}
	fail.Store(&inside)
	s.post("nested", "")
	want(idem.EventInFlight, idem.EventExecuted)
}

// A spec that declares the key as a parameter gets the bare key, however it
// was sent.
func TestUnquoteKeys(t *testing.T) {
	t.Parallel()
	var got string
	mux := idem.UnquoteKeys(http.NewServeMux(), operation())
	mux.HandleFunc("POST /", func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Get(shoptest.KeyHeader) })
	for sent, want := range map[string]string{
		`"abc"`: "abc", `abc`: "abc", `"a\"c"`: `a"c`, `"\"c"`: `"\"c"`, `"open`: `"open`, `""`: `""`,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set(shoptest.KeyHeader, sent)
		mux.ServeHTTP(nil, r)
		if got != want || r.Header.Get(shoptest.KeyHeader) != sent {
			t.Errorf("%s came as %s, want %s; the request has %s now", sent, got, want, r.Header.Get(shoptest.KeyHeader))
		}
	}
}
