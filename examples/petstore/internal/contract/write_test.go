package contract

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
	"github.com/idemgen/idemgen/internal/wiretest"
)

// Here is what is promised for an operation that is one statement with its
// record: reviewProduct, whose x-idempotent names a query.

const (
	reviews = "/products/leash/reviews"
	review  = `{"author":"jo","stars":4,"text":"'It's \"good\"' \\ \u00e9"}`
)

// startReviews is a shop that has a leash.
func startReviews(t *testing.T, s setup) *store {
	t.Helper()
	shop := start(t, s)
	shop.Do(http.MethodPut, "/products/leash", "", `{"name":"Leash","price_cents":100,"stock":1}`).Want(t, http.StatusOK)
	return shop
}

func (s *store) review(key, body string) shoptest.Response {
	return s.Do(http.MethodPost, reviews, key, body)
}

func (s *store) wantReviews(n, records int) {
	s.t.Helper()
	if got := s.count("SELECT count(*) FROM reviews"); got != n {
		s.t.Errorf("%d reviews, want %d", got, n)
	}
	if got := s.count("SELECT count(*) FROM idempotency_records"); got != records {
		s.t.Errorf("%d records, want %d", got, records)
	}
}

func TestWriteIsOneStatement(t *testing.T) {
	t.Parallel()
	proxy := wiretest.NewProxy(t, migrated(t))
	s := startReviews(t, setup{url: proxy.URL(), poolSize: 1})
	replica := start(t, setup{url: proxy.URL(), poolSize: 1})
	claim := []string{"pg_try_advisory_xact_lock", "GetIdempotencyRecord"}
	for _, server := range []*store{s, replica} { // prepares the statements
		server.review("warm up", `{"author":"al","stars":1}`).Want(t, http.StatusCreated)
		server.post("warm up").Want(t, http.StatusCreated)
	}

	proxy.Reset()
	first := s.review("k", review).Want(t, http.StatusCreated)
	want(t, proxy, "fresh", 1, "ReviewProduct")

	proxy.Reset()
	again := s.review("k", review).Want(t, http.StatusCreated)
	want(t, proxy, "replay", 1, claim...)
	proxy.Reset()
	elsewhere := replica.review("k", review).Want(t, http.StatusCreated)
	want(t, proxy, "replay on a process that hasn't seen the key", 3, "ReviewProduct", "begin", claim[0], claim[1], "rollback")
	if !bytes.Equal(first.Body, elsewhere.Body) {
		t.Errorf("%s was replayed as %s", first.Body, elsewhere.Body)
	}
	if !again.Replayed() || first.Replayed() || !bytes.Equal(first.Body, again.Body) {
		t.Errorf("%s was replayed as %s", first.Body, again.Body)
	}
	if a, b := first.Header.Get("Content-Type"), again.Header.Get("Content-Type"); a != b || a != "application/json" {
		t.Errorf("Content-Type %q, and then %q", a, b)
	}
	s.review("k", `{"author":"jo","stars":5}`).WantProblem(t, http.StatusUnprocessableEntity, "key-reused")
	s.wantReviews(2, 3) // and the pet's record
}

// What the statement builds is what oapi-codegen's types would have written.
func TestWriteBuildsTheAnswer(t *testing.T) {
	t.Parallel()
	s := startReviews(t, setup{})
	type answer struct {
		ID        int64     `json:"id"`
		Sku       string    `json:"sku"`
		Author    string    `json:"author"`
		Stars     int       `json:"stars"`
		Text      *string   `json:"text"`
		CreatedAt time.Time `json:"created_at"`
	}
	before := time.Now().Add(-time.Minute)
	got := shoptest.Decode[answer](t, s.review("k", review).Want(t, http.StatusCreated))
	if got.ID < 1 || got.Sku != "leash" || got.Author != "jo" || got.Stars != 4 || got.Text == nil || *got.Text != `'It's "good"' \ é` || got.CreatedAt.Before(before) {
		t.Errorf("got %+v", got)
	}
	bare := s.review("k2", `{"author":"al","stars":1}`).Want(t, http.StatusCreated)
	if bytes.Contains(bare.Body, []byte("text")) {
		t.Errorf("the text that isn't there is in %s", bare.Body)
	}
}

// What the database has against the write is answered, stored and replayed as
// any handler's 4xx; it is told from the record's own key by the constraint.
func TestWriteThatIsRefused(t *testing.T) {
	t.Parallel()
	s := startReviews(t, setup{})
	s.review("k", review).Want(t, http.StatusCreated)

	second := s.review("k2", review).Want(t, http.StatusConflict)
	second.WantProblem(t, http.StatusConflict, "already-reviewed")
	if _, err := s.db.Exec(t.Context(), "DELETE FROM reviews"); err != nil {
		t.Fatal(err)
	}
	if r := s.review("k2", review).Want(t, http.StatusConflict); !r.Replayed() || !bytes.Equal(r.Body, second.Body) {
		t.Errorf("the stored 409 was answered with %s", r.Body)
	}

	lost := s.Do(http.MethodPost, "/products/lead/reviews", "k3", review)
	lost.WantProblem(t, http.StatusNotFound, "product-not-found")
	// The handler's own error isn't stored, and what it would say against a retry
	// doesn't count.
	s.wantReviews(0, 3)
	if r := s.review("k", review).Want(t, http.StatusCreated); !r.Replayed() {
		t.Error("the first review wasn't replayed")
	}
	s.wantReviews(0, 3)
}

func TestWriteOfAnExpiredKey(t *testing.T) {
	t.Parallel()
	s := startReviews(t, setup{})
	first := s.review("k", review).Want(t, http.StatusCreated)
	if _, err := s.db.Exec(t.Context(), "UPDATE idempotency_records SET expires_at = now() - interval '1 s'"); err != nil {
		t.Fatal(err)
	}
	// The author has reviewed it: the new request is refused, in the place of the
	// record that has expired.
	s.review("k", review).WantProblem(t, http.StatusConflict, "already-reviewed")
	s.wantReviews(1, 1)
	if _, err := s.db.Exec(t.Context(), "UPDATE idempotency_records SET expires_at = now() - interval '1 s'; DELETE FROM reviews"); err != nil {
		t.Fatal(err)
	}
	again := s.review("k", review).Want(t, http.StatusCreated)
	if again.Replayed() || bytes.Equal(first.Body, again.Body) {
		t.Errorf("the expired answer %s came back", again.Body)
	}
	s.wantReviews(1, 1)
}

// 20 keys, ten copies of each at once on two servers that share the database.
func TestConcurrentWrites(t *testing.T) {
	t.Parallel()
	const keys, copies = 20, 10
	url := migrated(t)
	servers := []*store{startReviews(t, setup{url: url}), startReviews(t, setup{url: url})}
	answers := make([][]shoptest.Response, keys)
	var mu sync.Mutex
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for i := range keys {
		for n := range copies {
			wg.Go(func() {
				<-begin
				r := servers[n%2].review(fmt.Sprintf("k%d", i), fmt.Sprintf(`{"author":"a%d","stars":3}`, i))
				mu.Lock()
				answers[i] = append(answers[i], r)
				mu.Unlock()
			})
		}
	}
	close(begin)
	wg.Wait()
	for i, all := range answers {
		executed := 0
		var body []byte
		for _, r := range all {
			switch {
			case inFlight(r):
				continue
			case r.Status != http.StatusCreated:
				t.Errorf("key %d: %d %s", i, r.Status, r.Body)
			case body != nil && !bytes.Equal(r.Body, body):
				t.Errorf("key %d: %s, and also %s", i, body, r.Body)
			case !r.Replayed():
				executed++
			}
			body = r.Body
		}
		if executed != 1 {
			t.Errorf("key %d was executed %d times", i, executed)
		}
	}
	servers[0].wantReviews(keys, keys)
}

// The answer to the statement is lost on the way: it is looked up whether it was
// executed.
func TestLostWriteAnswer(t *testing.T) {
	t.Parallel()
	for _, executed := range []bool{false, true} {
		t.Run(fmt.Sprintf("executed %t", executed), func(t *testing.T) {
			t.Parallel()
			proxy := wiretest.NewProxy(t, migrated(t))
			s := startReviews(t, setup{url: proxy.URL()})
			stopped := proxy.StopAt(wiretest.Stop{SQL: "ReviewProduct", Committed: executed})
			answer := make(chan shoptest.Response)
			go func() { answer <- s.review("k", review) }()
			<-stopped
			proxy.HangUp()
			status, n := http.StatusServiceUnavailable, 0
			if executed {
				status, n = http.StatusCreated, 1
			}
			(<-answer).Want(t, status)
			s.wantReviews(n, n)
			if r := s.review("k", review).Want(t, http.StatusCreated); r.Replayed() != executed {
				t.Errorf("replayed: %t, want %t", r.Replayed(), executed)
			}
			s.wantReviews(1, 1)
		})
	}
}

func TestKilledAtTheWrite(t *testing.T) {
	t.Parallel()
	for _, executed := range []bool{false, true} {
		t.Run(fmt.Sprintf("executed %t", executed), func(t *testing.T) {
			t.Parallel()
			database := migrated(t)
			startReviews(t, setup{url: database})
			proxy := wiretest.NewProxy(t, database)
			first := shoptest.Exec(t, "DATABASE_URL="+proxy.URL())
			stopped := proxy.StopAt(wiretest.Stop{SQL: "ReviewProduct", Committed: executed})
			lost := make(chan error)
			go func() {
				_, err := first.Client().Send(context.Background(), http.MethodPost, reviews, http.Header{shoptest.KeyHeader: {"k"}}, review)
				lost <- err
			}()
			<-stopped
			first.Kill()
			if err := <-lost; err == nil {
				t.Fatal("the killed server has answered")
			}
			second := shoptest.Exec(t, "DATABASE_URL="+database)
			s := &store{Client: second.Client(), db: newPool(t, database, 0), t: t}
			answer := s.review("k", review).Want(t, http.StatusCreated)
			if answer.Replayed() != executed {
				t.Errorf("replayed: %t, want %t", answer.Replayed(), executed)
			}
			if again := s.review("k", review); !again.Replayed() || !bytes.Equal(again.Body, answer.Body) {
				t.Errorf("the next retry got %s, want %s", again.Body, answer.Body)
			}
			s.wantReviews(1, 1)
		})
	}
}

// A statement that something holds up doesn't hold up its duplicates: they are
// told that it is in flight.
func TestHeldUpWriteHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	s := startReviews(t, setup{poolSize: 2})
	tx, err := s.db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	if _, err := tx.Exec(t.Context(), "LOCK TABLE reviews"); err != nil {
		t.Fatal(err)
	}
	first := make(chan shoptest.Response)
	go func() { first <- s.review("k", review) }()
	for s.count("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'reviews'::regclass") == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { s.review("k", review).WantProblem(t, http.StatusConflict, "in-flight") })
	}
	wg.Wait()
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	(<-first).Want(t, http.StatusCreated)
	s.wantReviews(1, 1)
}
