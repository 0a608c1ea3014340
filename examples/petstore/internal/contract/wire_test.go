package contract

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
	"github.com/idemgen/idemgen/internal/wiretest"
	idem "github.com/idemgen/idemgen/runtime"
)

// The cost of a request in round trips and statements, on a connection that
// has prepared them: counts don't depend on the machine.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	proxy := wiretest.NewProxy(t, migrated(t))
	s := start(t, setup{url: proxy.URL(), poolSize: 1})
	s.Do(http.MethodPut, "/products/leash", "", `{"name":"Leash","price_cents":100,"stock":1}`).Want(t, http.StatusOK)
	fresh := func(key string) { s.post(key).Want(t, http.StatusCreated) }
	refused := func(key string) {
		s.Do(http.MethodPatch, "/pets/99", key, pet).Want(t, http.StatusNotFound)
	}
	fresh("warm up") // prepares the statements
	refused("warm up")

	proxy.Reset()
	fresh("k")
	want(t, proxy, "fresh", 3, "begin", "pg_try_advisory_xact_lock", "GetIdempotencyRecord", "CreatePet", "InsertIdempotencyRecord", "commit")

	proxy.Reset()
	fresh("k")
	want(t, proxy, "replay", 1, "pg_try_advisory_xact_lock", "GetIdempotencyRecord")

	proxy.Reset()
	s.Do(http.MethodPost, "/pets", "k", `{"name":"Max"}`).Want(t, http.StatusUnprocessableEntity)
	want(t, proxy, "mismatch", 1, "pg_try_advisory_xact_lock", "GetIdempotencyRecord")

	// A process that hasn't seen the key begins a transaction to find out.
	other := start(t, setup{url: proxy.URL(), poolSize: 1})
	other.post("warm up, too").Want(t, http.StatusCreated)
	other.post("warm up").Want(t, http.StatusCreated)
	proxy.Reset()
	other.post("k").Want(t, http.StatusCreated)
	want(t, proxy, "replay elsewhere", 2, "begin", "pg_try_advisory_xact_lock", "GetIdempotencyRecord", "rollback")

	proxy.Reset()
	refused("k")
	want(t, proxy, "stored 4xx", 5, "begin", "pg_try_advisory_xact_lock", "GetIdempotencyRecord", "UpdatePet", "rollback",
		"begin", "pg_try_advisory_xact_lock", "GetIdempotencyRecord", "InsertIdempotencyRecord", "commit")

	if _, err := s.db.Exec(t.Context(), "UPDATE idempotency_records SET expires_at = now() - interval '1 s'"); err != nil {
		t.Fatal(err)
	}
	fresh("warm up") // prepares the eviction
	proxy.Reset()
	fresh("k")
	want(t, proxy, "expired", 4, "pg_try_advisory_xact_lock", "GetIdempotencyRecord", "begin", "pg_try_advisory_xact_lock", "GetIdempotencyRecord", "CreatePet",
		"DeleteExpiredIdempotencyRecord", "InsertIdempotencyRecord", "commit")

	// What doesn't get past the capture doesn't reach the database.
	proxy.Reset()
	s.post("").Want(t, http.StatusBadRequest)
	s.Do(http.MethodPost, "/pets", "x", `{"name":`).Want(t, http.StatusBadRequest)
	s.as("wrong").Do(http.MethodPost, "/pets", "x", pet).Want(t, http.StatusUnauthorized)
	want(t, proxy, "refused", 0)
}

func want(t *testing.T, proxy *wiretest.Proxy, what string, trips int, statements ...string) {
	t.Helper()
	gotTrips, got := proxy.Count()
	if gotTrips != trips {
		t.Errorf("%s: %d round trips, want %d", what, gotTrips, trips)
	}
	if !slices.EqualFunc(got, statements, strings.Contains) {
		t.Errorf("%s: statements %q, want %q", what, got, statements)
	}
}

// The server commits, and its answer is lost on the way: the record is looked
// up, the handler doesn't run again.
func TestLostCommitAnswer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		stop      wiretest.Stop
		status    int
		committed bool
	}{
		{"committed", wiretest.Stop{SQL: "commit", After: true}, http.StatusCreated, true},
		{"not committed", wiretest.Stop{SQL: "commit"}, http.StatusServiceUnavailable, false},
		{"record not inserted", wiretest.Stop{SQL: "InsertIdempotencyRecord"}, http.StatusServiceUnavailable, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			proxy := wiretest.NewProxy(t, migrated(t))
			s := start(t, setup{url: proxy.URL()})
			stopped := proxy.StopAt(test.stop)
			answer := make(chan shoptest.Response)
			go func() { answer <- s.post("k") }()
			<-stopped
			proxy.HangUp()
			(<-answer).Want(t, test.status)
			rows := 0
			if test.committed {
				rows = 1
			}
			s.wantRows(rows, rows)
			if replayed := s.retry("k").Want(t, http.StatusCreated).Replayed(); replayed != test.committed {
				t.Errorf("replayed: %t, want %t", replayed, test.committed)
			}
			s.wantRows(1, 1)
		})
	}
}

// The unique key is the last arbiter: where the lock doesn't hold, as on a
// database without advisory locks, the slower execution is undone and answers
// with what the faster one has stored.
func TestUniqueKeyDecidesWithoutTheLock(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	winner := start(t, setup{url: url})
	answer := winner.post("k").Want(t, http.StatusCreated)
	var id, elsewhere string
	if err := winner.db.QueryRow(t.Context(), "SELECT id, gen_random_uuid() FROM idempotency_records").Scan(&id, &elsewhere); err != nil {
		t.Fatal(err)
	}
	// The winner's record is out of sight until the loser's handler runs.
	move := func(from, to string) error {
		_, err := winner.db.Exec(t.Context(), "UPDATE idempotency_records SET id = $2 WHERE id = $1", from, to)
		return err
	}
	if err := move(id, elsewhere); err != nil {
		t.Fatal(err)
	}
	loser := start(t, setup{url: url, createPet: func(ctx context.Context, tx *idem.Tx, _ api.CreatePetRequestObject) (api.CreatePetResponseObject, error) {
		if err := insertPet(ctx, tx, "loser"); err != nil {
			return nil, err
		}
		return created("loser"), move(elsewhere, id)
	}})
	got := loser.post("k").Want(t, http.StatusCreated)
	if string(got.Body) != string(answer.Body) || !got.Replayed() {
		t.Errorf("got %s, want the winner's %s", got.Body, answer.Body)
	}
	winner.wantRows(1, 1)
}

// A commit that isn't answered holds up its own request, and not the duplicates
// that come meanwhile: they get 409, long before anybody gives up on the commit.
func TestUnansweredCommitHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	proxy := wiretest.NewProxy(t, migrated(t))
	s := start(t, setup{url: proxy.URL(), config: idem.Config{StoreTimeout: 5 * time.Minute}})
	stopped := proxy.StopAt(wiretest.Stop{SQL: "commit", After: true})
	answer := make(chan shoptest.Response)
	go func() { answer <- s.post("k") }()
	<-stopped
	for range 3 {
		s.post("k").WantProblem(t, http.StatusConflict, idem.CodeInFlight)
	}
	proxy.HangUp()
	(<-answer).Want(t, http.StatusCreated)
	s.wantRows(1, 1)
}

// A database that doesn't answer is given up after StoreTimeout, and the
// connection with it.
func TestStoreTimeout(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		stop   wiretest.Stop
		status int
	}{
		{"claim", wiretest.Stop{SQL: "GetIdempotencyRecord", After: true}, http.StatusServiceUnavailable},
		{"commit", wiretest.Stop{SQL: "commit", After: true}, http.StatusCreated}, // looked up
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			proxy := wiretest.NewProxy(t, migrated(t))
			s := start(t, setup{url: proxy.URL(), poolSize: 2, config: idem.Config{StoreTimeout: time.Second}})
			for _, key := range []string{"a", "b"} { // a connection that is known
				s.post(key).Want(t, http.StatusCreated)
			}
			proxy.StopAt(test.stop)
			s.post("k").Want(t, test.status)
			if test.name == "claim" {
				proxy.HangUp() // else the server keeps the lock until pgx has waited for it
			}
			s.retry("k").Want(t, http.StatusCreated)
			s.wantRows(3, 3)
			proxy.HangUp() // nor need the end wait
		})
	}
}
