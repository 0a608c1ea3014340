package contract

import (
	"net/http"
	"testing"
	"time"

	"github.com/idemgen/idemgen/examples/petstore/internal/idemdb"
	idem "github.com/idemgen/idemgen/runtime"
)

func TestCleanerDeletesWhatHasExpired(t *testing.T) {
	t.Parallel()
	s := start(t, setup{})
	const expired = 2500
	_, err := s.db.Exec(t.Context(), `
		INSERT INTO idempotency_records (id, expires_at, status, fingerprint, header)
		SELECT gen_random_uuid(), now() - interval '1 s', 201, '', '' FROM generate_series(1, $1)`, expired)
	if err != nil {
		t.Fatal(err)
	}
	s.post("k").Want(t, http.StatusCreated)

	// Several at once, as on several replicas: each record is counted by one.
	cleaner := func() *idem.Cleaner {
		return idem.NewCleaner(s.db, idemdb.NewStore(), idem.CleanerConfig{BatchSize: 100, BatchPause: time.Millisecond})
	}
	deleted := make(chan int64)
	for range 3 {
		go func() {
			n, err := cleaner().Clean(t.Context())
			if err != nil {
				t.Error(err)
			}
			deleted <- n
		}()
	}
	if total := <-deleted + <-deleted + <-deleted; total != expired {
		t.Errorf("%d were deleted, want %d", total, expired)
	}
	s.wantRows(1, 1)
	if !s.post("k").Replayed() {
		t.Error("a record that hasn't expired is gone")
	}
}

func TestCleanerStartsAndStops(t *testing.T) {
	t.Parallel()
	s := start(t, setup{})
	cleaner := idem.NewCleaner(s.db, idemdb.NewStore(), idem.CleanerConfig{Interval: 10 * time.Millisecond})
	for range 2 { // it can be started again
		s.post("k").Want(t, http.StatusCreated)
		if _, err := s.db.Exec(t.Context(), "UPDATE idempotency_records SET expires_at = now()"); err != nil {
			t.Fatal(err)
		}
		if err := cleaner.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := cleaner.Start(t.Context()); err == nil {
			t.Error("a second Start didn't fail")
		}
		deadline := time.Now().Add(10 * time.Second)
		for s.count("SELECT count(*) FROM idempotency_records") > 0 {
			if time.Now().After(deadline) {
				t.Fatal("the expired record is still there")
			}
			time.Sleep(10 * time.Millisecond)
		}
		if err := cleaner.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := cleaner.Stop(t.Context()); err != nil {
			t.Errorf("a second Stop: %v", err)
		}
	}
}
