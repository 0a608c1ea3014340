package contract

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
	idem "github.com/idemgen/idemgen/runtime"
)

// Whatever goes wrong in a handler leaves no row and no record, and the next
// try with the same key runs.
func TestFailingHandlersLeaveNothing(t *testing.T) {
	t.Parallel()
	secret := errors.New("password=hunter2")
	for name, fail := range map[string]func(ctx context.Context, tx *idem.Tx) (api.CreatePetResponseObject, error){
		"error":          func(context.Context, *idem.Tx) (api.CreatePetResponseObject, error) { return nil, secret },
		"error, too":     func(context.Context, *idem.Tx) (api.CreatePetResponseObject, error) { return created("x"), secret },
		"panic":          func(context.Context, *idem.Tx) (api.CreatePetResponseObject, error) { panic(secret) },
		"nil":            func(context.Context, *idem.Tx) (api.CreatePetResponseObject, error) { return nil, nil }, //nolint:nilnil // the case
		"response fails": func(context.Context, *idem.Tx) (api.CreatePetResponseObject, error) { return failing{secret}, nil },
		"deadline in a query": func(ctx context.Context, tx *idem.Tx) (api.CreatePetResponseObject, error) {
			_, err := tx.Exec(ctx, "SELECT pg_sleep(60)")
			return nil, err
		},
		"deadline ignored": func(ctx context.Context, _ *idem.Tx) (api.CreatePetResponseObject, error) {
			<-ctx.Done()
			return created("Rex"), nil
		},
		"failed statement ignored": func(ctx context.Context, tx *idem.Tx) (api.CreatePetResponseObject, error) {
			_, _ = tx.Exec(ctx, "SELECT 1/0")
			return created("Rex"), nil
		},
		"commit": func(ctx context.Context, tx *idem.Tx) (api.CreatePetResponseObject, error) {
			return nil, tx.Commit(ctx)
		},
		"rollback": func(ctx context.Context, tx *idem.Tx) (api.CreatePetResponseObject, error) {
			_ = tx.Rollback(ctx)
			return created("Rex"), nil
		},
		"rows left open": func(ctx context.Context, tx *idem.Tx) (api.CreatePetResponseObject, error) {
			_, err := tx.Query(ctx, "SELECT generate_series(1, 100000)")
			return created("Rex"), err
		},
		"transaction ended by hand": func(ctx context.Context, tx *idem.Tx) (api.CreatePetResponseObject, error) {
			_, err := tx.Exec(ctx, "ROLLBACK")
			return created("Rex"), err
		},
		"connection lost": func(ctx context.Context, tx *idem.Tx) (api.CreatePetResponseObject, error) {
			_, _ = tx.Exec(ctx, "SELECT pg_terminate_backend(pg_backend_pid())")
			return created("Rex"), nil
		},
		"deferred constraint": func(ctx context.Context, tx *idem.Tx) (api.CreatePetResponseObject, error) {
			_, err := tx.Exec(ctx, "INSERT INTO later VALUES (1), (1)")
			return created("Rex"), err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			s := start(t, setup{
				config: idem.Config{HandlerTimeout: time.Second},
				createPet: func(ctx context.Context, tx *idem.Tx, _ api.CreatePetRequestObject) (api.CreatePetResponseObject, error) {
					if err := insertPet(ctx, tx, "Rex"); err != nil {
						return nil, err
					}
					if calls.Add(1) > 1 {
						return created("Rex"), nil
					}
					return fail(ctx, tx)
				},
			})
			if _, err := s.db.Exec(t.Context(), "CREATE TABLE later (n int UNIQUE DEFERRABLE INITIALLY DEFERRED)"); err != nil {
				t.Fatal(err)
			}
			r := s.post("k")
			if bytes.Contains(r.Body, []byte("hunter2")) {
				t.Errorf("the client was told %s", r.Body)
			}
			switch name {
			case "panic":
				r.Want(t, http.StatusInternalServerError) // the server's own recoverer has answered
			case "connection lost":
				r.WantProblem(t, http.StatusServiceUnavailable, idem.CodeStoreUnavailable)
			default:
				r.WantProblem(t, http.StatusInternalServerError, idem.CodeInternal)
			}
			s.wantRows(0, 0)
			if s.retry("k").Want(t, http.StatusCreated).Replayed() {
				t.Error("the failure was replayed")
			}
			s.wantRows(1, 1)
		})
	}
}

// retry does what Retry-After says, while the server still undoes a request
// whose connection it has just lost.
func (s *store) retry(key string) shoptest.Response {
	s.t.Helper()
	for range 20 {
		if r := s.post(key); r.Status != http.StatusConflict {
			return r
		}
		time.Sleep(100 * time.Millisecond)
	}
	return s.post(key)
}

// failing is a response that can't be rendered.
type failing struct{ err error }

func (f failing) VisitCreatePetResponse(w http.ResponseWriter) error {
	w.WriteHeader(http.StatusCreated)
	return f.err
}

func TestRefusalsAreStoredAndUndone(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	s := start(t, setup{createPet: func(ctx context.Context, tx *idem.Tx, _ api.CreatePetRequestObject) (api.CreatePetResponseObject, error) {
		calls.Add(1)
		return api.CreatePet400ApplicationProblemPlusJSONResponse{
			BadRequestApplicationProblemPlusJSONResponse: api.BadRequestApplicationProblemPlusJSONResponse{Title: "no", Status: 400},
		}, insertPet(ctx, tx, "Rex")
	}})
	first := s.post("k").Want(t, http.StatusBadRequest)
	again := s.post("k").Want(t, http.StatusBadRequest)
	if !again.Replayed() || !bytes.Equal(first.Body, again.Body) || calls.Load() != 1 {
		t.Errorf("%d calls, first %s, then %s", calls.Load(), first.Body, again.Body)
	}
	s.wantRows(0, 1)
}

func TestWhatSaysNotNowIsNotStored(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403, 408, 425, 429, 500, 503} {
		s := start(t, setup{createPet: func(ctx context.Context, tx *idem.Tx, _ api.CreatePetRequestObject) (api.CreatePetResponseObject, error) {
			return anyStatus(status), insertPet(ctx, tx, "Rex")
		}})
		s.Client = s.Unchecked()
		for range 2 {
			if s.post("k").Want(t, status).Replayed() {
				t.Errorf("%d was replayed", status)
			}
		}
		s.wantRows(0, 0)
	}
}

type anyStatus int

func (a anyStatus) VisitCreatePetResponse(w http.ResponseWriter) error {
	w.Header().Set("Retry-After", "7")
	w.WriteHeader(int(a))
	return nil
}

func TestSerializationFailuresRunAgain(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	s := start(t, setup{createPet: func(ctx context.Context, tx *idem.Tx, _ api.CreatePetRequestObject) (api.CreatePetResponseObject, error) {
		if err := insertPet(ctx, tx, "Rex"); err != nil {
			return nil, err
		}
		if calls.Add(1) < 3 {
			_, err := tx.Exec(ctx, "DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$")
			return nil, err
		}
		return created("Rex"), nil
	}})
	s.post("k").Want(t, http.StatusCreated)
	s.wantRows(1, 1)
	if calls.Load() != 3 {
		t.Errorf("%d calls, want 3", calls.Load())
	}
}

// A client that hangs up finds the answer when it comes back.
func TestClientHangsUp(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	s := start(t, setup{createPet: func(ctx context.Context, tx *idem.Tx, _ api.CreatePetRequestObject) (api.CreatePetResponseObject, error) {
		close(entered)
		<-release
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return created("Rex"), insertPet(ctx, tx, "Rex")
	}})
	ctx, hangUp := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() {
		_, err := s.Send(ctx, http.MethodPost, "/pets", http.Header{shoptest.KeyHeader: {"k"}}, pet)
		gone <- err
	}()
	<-entered
	hangUp()
	if err := <-gone; err == nil {
		t.Fatal("the client got an answer")
	}
	time.Sleep(50 * time.Millisecond) // for the server to notice
	close(release)
	if !s.retry("k").Want(t, http.StatusCreated).Replayed() {
		t.Error("the handler ran again")
	}
	s.wantRows(1, 1)
}

// A goroutine that outlives its handler must not reach the connection, which
// serves other requests by then.
func TestTransactionClosesWithTheHandler(t *testing.T) {
	t.Parallel()
	var left *idem.Tx
	var savepoint pgx.Tx
	s := start(t, setup{createPet: func(ctx context.Context, tx *idem.Tx, _ api.CreatePetRequestObject) (api.CreatePetResponseObject, error) {
		left = tx
		var err error
		if savepoint, err = tx.Begin(ctx); err != nil {
			return nil, err
		}
		return created("Rex"), insertPet(ctx, savepoint, "Rex")
	}})
	s.post("k").Want(t, http.StatusCreated)
	for _, tx := range []pgx.Tx{left, savepoint} {
		if _, err := tx.Exec(t.Context(), "DELETE FROM pets"); !errors.Is(err, pgx.ErrTxClosed) {
			t.Errorf("Exec: %v, want ErrTxClosed", err)
		}
		if err := tx.QueryRow(t.Context(), "SELECT 1").Scan(new(int)); !errors.Is(err, pgx.ErrTxClosed) {
			t.Errorf("QueryRow: %v, want ErrTxClosed", err)
		}
		if err := tx.SendBatch(t.Context(), &pgx.Batch{}).Close(); !errors.Is(err, pgx.ErrTxClosed) {
			t.Errorf("SendBatch: %v, want ErrTxClosed", err)
		}
		if _, err := tx.Begin(t.Context()); !errors.Is(err, pgx.ErrTxClosed) {
			t.Errorf("Begin: %v, want ErrTxClosed", err)
		}
	}
	s.wantRows(1, 1)
}

func TestSavepoints(t *testing.T) {
	t.Parallel()
	s := start(t, setup{createPet: func(ctx context.Context, tx *idem.Tx, _ api.CreatePetRequestObject) (api.CreatePetResponseObject, error) {
		err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { return insertPet(ctx, tx, "kept") })
		if err != nil {
			return nil, err
		}
		err = pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "SELECT 1/0")
			return err
		})
		if err == nil {
			return nil, errors.New("the savepoint hid the error")
		}
		return created("kept"), nil
	}})
	s.post("k").Want(t, http.StatusCreated)
	s.wantRows(1, 1)
}

func TestLargeResponses(t *testing.T) {
	t.Parallel()
	s := start(t, setup{
		config: idem.Config{MaxStoredResponse: 100},
		createPet: func(ctx context.Context, tx *idem.Tx, _ api.CreatePetRequestObject) (api.CreatePetResponseObject, error) {
			return created(strings.Repeat("x", 100)), insertPet(ctx, tx, "Rex")
		},
	})
	if first := s.post("k").Want(t, http.StatusCreated); len(first.Body) <= 100 {
		t.Errorf("the first answer has %d bytes", len(first.Body))
	}
	again := s.post("k").Want(t, http.StatusCreated)
	if len(again.Body) != 0 || again.Header.Get("Idempotency-Replay") != "omitted" || !again.Replayed() {
		t.Errorf("the replay: %v, %d bytes", again.Header, len(again.Body))
	}
	s.wantRows(1, 1)
}

func TestDatabaseDown(t *testing.T) {
	t.Parallel()
	s := start(t, setup{config: idem.Config{StoreTimeout: time.Second}})
	s.pool.Close()
	r := s.post("k")
	r.WantProblem(t, http.StatusServiceUnavailable, idem.CodeStoreUnavailable)
	if r.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	s.wantRows(0, 0)
}
