package contract

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/examples/petstore/internal/idemdb"
	idem "github.com/idemgen/idemgen/runtime"
)

// A message is processed once per consumer, however often it is delivered.
func TestOnce(t *testing.T) {
	t.Parallel()
	s := start(t, setup{})
	once := func(consumer, id string, process func(context.Context, *idem.Tx) error) error {
		return idemdb.Once(t.Context(), s.pool, idem.Message{Consumer: consumer, ID: id}, process)
	}
	insert := func(ctx context.Context, tx *idem.Tx) error { return insertPet(ctx, tx, tx.Key()) }

	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := once("billing", "m-1", insert); err != nil && !errors.Is(err, idem.ErrInFlight) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := once("billing", "m-1", insert); err != nil {
		t.Errorf("a redelivery: %v", err)
	}
	s.wantRows(1, 1)
	if err := once("shipping", "m-1", insert); err != nil {
		t.Error(err)
	}
	s.wantRows(2, 2)

	failure := errors.New("not now")
	err := once("billing", "m-2", func(ctx context.Context, tx *idem.Tx) error {
		return errors.Join(insert(ctx, tx), failure)
	})
	if !errors.Is(err, failure) {
		t.Errorf("got %v, want the consumer's own error", err)
	}
	s.wantRows(2, 2)
	if err := once("billing", "m-2", insert); err != nil {
		t.Error(err)
	}
	s.wantRows(3, 3)

	if err := once("billing", "", insert); err == nil {
		t.Error("a message without an ID was taken")
	}
}

func TestOnceInFlight(t *testing.T) {
	t.Parallel()
	s := start(t, setup{})
	message := idem.Message{Consumer: "billing", ID: "m"}
	entered, release := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		done <- idem.Once(t.Context(), s.pool, idemdb.NewStore(), message, func(context.Context, *idem.Tx) error {
			close(entered)
			<-release
			return nil
		})
	}()
	<-entered
	err := idem.Once(t.Context(), s.pool, idemdb.NewStore(), message, func(context.Context, *idem.Tx) error {
		t.Error("the message is processed twice")
		return nil
	})
	if !errors.Is(err, idem.ErrInFlight) {
		t.Errorf("got %v, want ErrInFlight", err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// The keys for other services are the same at every run of one request, and
// differ between requests and between calls.
func TestDownstreamKey(t *testing.T) {
	t.Parallel()
	s := start(t, setup{})
	keys := map[string]int{}
	rolledBack := errors.New("run me again")
	for _, id := range []string{"m-1", "m-2"} {
		for range 2 {
			err := idem.Once(t.Context(), s.pool, idemdb.NewStore(), idem.Message{Consumer: "billing", ID: id}, func(_ context.Context, tx *idem.Tx) error {
				keys[tx.DownstreamKey("stripe")]++
				keys[tx.DownstreamKey("mail")]++
				return rolledBack
			})
			if !errors.Is(err, rolledBack) {
				t.Fatal(err)
			}
		}
	}
	if len(keys) != 4 {
		t.Errorf("%d keys, want 4: %v", len(keys), keys)
	}
	for key, seen := range keys {
		if seen != 2 || len(key) != 36 || key[14] != '8' {
			t.Errorf("%s was seen %d times", key, seen)
		}
	}
}
