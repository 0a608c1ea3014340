package contract

import (
	"bytes"
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
	"github.com/idemgen/idemgen/internal/wiretest"
)

// The server is killed with SIGKILL at every step of a request. After its
// restart the retry gives one row and one answer.
func TestKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		stop      wiretest.Stop
		committed bool
	}{
		{"before the claim", wiretest.Stop{SQL: "pg_try_advisory_xact_lock"}, false},
		{"after the claim", wiretest.Stop{SQL: "GetIdempotencyRecord", After: true}, false},
		{"after the business write", wiretest.Stop{SQL: "CreatePet", After: true}, false},
		{"after the record's insert", wiretest.Stop{SQL: "InsertIdempotencyRecord", After: true}, false},
		{"after the commit, before the answer", wiretest.Stop{SQL: "commit", After: true}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			database := migrated(t)
			proxy := wiretest.NewProxy(t, database)
			db := newPool(t, database, 0)
			first := shoptest.Exec(t, "DATABASE_URL="+proxy.URL())
			stopped := proxy.StopAt(test.stop)
			lost := make(chan error)
			go func() {
				_, err := first.Client().Send(context.Background(), http.MethodPost, "/pets", http.Header{shoptest.KeyHeader: {"k"}}, pet)
				lost <- err
			}()
			select {
			case <-stopped:
			case <-time.After(30 * time.Second):
				t.Fatal("the request never came to the point")
			}
			first.Kill()
			if err := <-lost; err == nil {
				t.Fatal("the killed server has answered")
			}

			second := shoptest.Exec(t, "DATABASE_URL="+database)
			s := &store{Client: second.Client(), db: db, t: t}
			if got := s.count("SELECT count(*) FROM pets"); (got == 1) != test.committed {
				t.Fatalf("%d pets after the crash", got)
			}
			answer := s.retry("k").Want(t, http.StatusCreated)
			if answer.Replayed() != test.committed {
				t.Errorf("replayed: %t, want %t", answer.Replayed(), test.committed)
			}
			if again := s.post("k").Want(t, http.StatusCreated); !again.Replayed() || !bytes.Equal(again.Body, answer.Body) {
				t.Errorf("the next retry got %s, want %s", again.Body, answer.Body)
			}
			s.wantRows(1, 1)
		})
	}
}
