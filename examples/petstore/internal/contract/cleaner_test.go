package contract

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/examples/petstore/internal/idemdb"
	idem "github.com/idemgen/idemgen/runtime"
)

// passes remembers what an observer is told.
type passes struct {
	mu     sync.Mutex
	events []idem.Event
}

func (p *passes) Observe(_ context.Context, event idem.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.events = append(p.events, event)
}

func (p *passes) all() []idem.Event {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]idem.Event(nil), p.events...)
}

// expire inserts n records, the last of which has expired since d and each
// other one a second longer.
func (s *store) expire(n int, d time.Duration) {
	s.t.Helper()
	_, err := s.db.Exec(s.t.Context(), `
		INSERT INTO idempotency_records (id, expires_at, status, fingerprint, header)
		SELECT gen_random_uuid(), now() - $2::interval - (n - 1) * interval '1 s', 201, '', '' FROM generate_series(1, $1::int) n`, n, d)
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *store) cleaner(cfg idem.CleanerConfig) *idem.Cleaner {
	return idem.NewCleaner(s.db, idemdb.NewStore(), cfg)
}

func TestCleanerDeletesWhatHasExpired(t *testing.T) {
	t.Parallel()
	s := start(t, setup{})
	const expired = 2500
	s.expire(expired, time.Second)
	s.post("k").Want(t, http.StatusCreated)

	// Several at once, as on several replicas: each record is counted by one.
	var seen passes
	deleted := make(chan int64)
	for range 3 {
		go func() {
			n, err := s.cleaner(idem.CleanerConfig{BatchSize: 100, BatchPause: time.Millisecond, Observer: &seen}).Clean(t.Context())
			if err != nil {
				t.Error(err)
			}
			deleted <- n
		}()
	}
	if total := <-deleted + <-deleted + <-deleted; total != expired {
		t.Errorf("%d were deleted, want %d", total, expired)
	}
	var observed int64
	for _, event := range seen.all() {
		observed += event.Deleted
		if event.Kind != idem.EventCleaned || event.Err != nil || event.Duration <= 0 {
			t.Errorf("observed %+v", event)
		}
	}
	if observed != expired || len(seen.all()) != 3 {
		t.Errorf("%d passes with %d records were observed, want 3 with %d", len(seen.all()), observed, expired)
	}
	s.wantRows(1, 1)
	if !s.post("k").Replayed() {
		t.Error("a record that hasn't expired is gone")
	}
}

// What another transaction has locked is neither waited for nor forgotten.
func TestCleanerTellsWhatItHasLeft(t *testing.T) {
	t.Parallel()
	s := start(t, setup{})
	s.expire(10, time.Hour)
	tx, err := s.db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := tx.Exec(t.Context(), "SELECT FROM idempotency_records ORDER BY expires_at LIMIT 3 FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	var seen passes
	cleaner := s.cleaner(idem.CleanerConfig{BatchSize: 2, BatchPause: time.Millisecond, Observer: &seen})
	for range 2 {
		if _, err := cleaner.Clean(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := cleaner.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := seen.all()
	for i, want := range []idem.Event{{Deleted: 7, Expired: 3}, {Deleted: 0, Expired: 3}, {Deleted: 3, Expired: 0}} {
		if got[i].Deleted != want.Deleted || got[i].Expired != want.Expired {
			t.Errorf("pass %d: %+v, want %d deleted and %d left", i, got[i], want.Deleted, want.Expired)
		}
		if oldest := got[i].OldestExpired; (oldest >= time.Hour && oldest < 2*time.Hour) != (want.Expired > 0) {
			t.Errorf("pass %d: the oldest has expired since %v", i, oldest)
		}
	}
}

func TestCleanerReportsFailures(t *testing.T) {
	t.Parallel()
	s := start(t, setup{})
	s.expire(4, time.Hour)
	var seen passes

	// A statement that takes too long: here one that waits for a lock.
	tx, err := s.db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := tx.Exec(t.Context(), "LOCK TABLE idempotency_records"); err != nil {
		t.Fatal(err)
	}
	cleaner := s.cleaner(idem.CleanerConfig{QueryTimeout: 50 * time.Millisecond, Observer: &seen})
	if _, err := cleaner.Clean(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a statement that hangs: %v", err)
	}
	s.endBlocked()
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}

	// To be stopped is none, and what was deleted by then is returned.
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	slow := s.cleaner(idem.CleanerConfig{BatchSize: 1, BatchPause: time.Minute, Observer: &seen})
	if n, err := slow.Clean(ctx); !errors.Is(err, context.DeadlineExceeded) || n != 1 {
		t.Errorf("a pass that is stopped in its pause: %d deleted, %v", n, err)
	}

	pool, err := pgxpool.New(t.Context(), "postgres://nobody@127.0.0.1:1/nobody-listens?connect_timeout=1")
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if _, err := idem.NewCleaner(pool, idemdb.NewStore(), idem.CleanerConfig{Observer: &seen}).Clean(t.Context()); err == nil {
		t.Error("no database, and no error")
	}

	got := seen.all()
	if len(got) != 2 || got[0].Err == nil || got[1].Err == nil || !strings.Contains(got[0].Err.Error(), "delete expired records") {
		t.Errorf("observed %+v", got)
	}
}

func TestCleanerStartsAndStops(t *testing.T) {
	t.Parallel()
	s := start(t, setup{})
	cleaner := s.cleaner(idem.CleanerConfig{Interval: 10 * time.Millisecond})
	for range 2 { // it can be started again
		s.post("k").Want(t, http.StatusCreated)
		if _, err := s.db.Exec(t.Context(), "UPDATE idempotency_records SET expires_at = now()"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if err := cleaner.Start(ctx); err != nil {
			t.Fatal(err)
		}
		if err := cleaner.Start(ctx); err == nil {
			t.Error("a second Start didn't fail")
		}
		s.eventuallyEmpty()
		if err := cleaner.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := cleaner.Stop(t.Context()); err != nil {
			t.Errorf("a second Stop: %v", err)
		}
	}

	// The end of the context ends it, too.
	ctx, cancel := context.WithCancel(t.Context())
	if err := cleaner.Start(ctx); err != nil {
		t.Fatal(err)
	}
	cancel()
	for deadline := time.Now().Add(10 * time.Second); cleaner.Start(t.Context()) != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it can't be started again")
		}
	}
	s.expire(1, 0)
	s.eventuallyEmpty()
	if err := cleaner.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (s *store) eventuallyEmpty() {
	s.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); s.count("SELECT count(*) FROM idempotency_records") > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatal("the expired record is still there")
		}
	}
}

// A key whose record has expired is used again and again while cleaners delete
// it: each request either replays what hasn't expired or executes, whichever
// side of the cleanup it meets the record on.
func TestCleanupRacesWithRequests(t *testing.T) {
	t.Parallel()
	s := start(t, setup{})
	ctx, stop := context.WithCancel(t.Context())
	var cleaners sync.WaitGroup
	for range 2 {
		cleaners.Go(func() {
			cleaner := s.cleaner(idem.CleanerConfig{})
			for ctx.Err() == nil {
				if _, err := cleaner.Clean(ctx); err != nil && ctx.Err() == nil {
					t.Error(err)
					return
				}
			}
		})
	}
	const rounds = 200
	for i := range rounds {
		if response := s.post("k").Want(t, http.StatusCreated); response.Replayed() {
			t.Fatalf("round %d: an expired record was replayed", i)
		}
		if _, err := s.db.Exec(t.Context(), "UPDATE idempotency_records SET expires_at = now()"); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	cleaners.Wait()
	if pets := s.count("SELECT count(*) FROM pets"); pets != rounds {
		t.Errorf("%d pets, want %d", pets, rounds)
	}
}
