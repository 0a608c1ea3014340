package contract

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
	idem "github.com/idemgen/idemgen/runtime"
)

// slowPet is a CreatePet that holds up pets named slow until release.
func slowPet(runs *atomic.Int32, entered, release chan struct{}) createPet {
	return func(ctx context.Context, tx *idem.Tx, req api.CreatePetRequestObject) (api.CreatePetResponseObject, error) {
		if req.Body.Name == "slow" {
			runs.Add(1)
			entered <- struct{}{}
			<-release
		}
		return created(req.Body.Name), insertPet(ctx, tx, req.Body.Name)
	}
}

const slow = `{"name":"slow"}`

// 10,000 duplicates of one slow request, on a pool of 10 connections: none of
// them runs, all get 409 or the stored answer, and they don't take a single
// connection from the requests with other keys. (How long those take is
// measured in bench/.)
func TestStormOfDuplicates(t *testing.T) {
	t.Parallel()
	const duplicates, atOnce, poolSize, others = 10000, 200, 10, 100
	var runs atomic.Int32
	entered, release := make(chan struct{}, 10), make(chan struct{})
	s := start(t, setup{poolSize: poolSize, createPet: slowPet(&runs, entered, release)})
	first := make(chan shoptest.Response, 1)
	go func() { first <- s.Do(http.MethodPost, "/pets", "k", slow) }()
	<-entered

	acquired := s.pool.Stat().AcquireCount()
	var sent atomic.Int32
	var wg sync.WaitGroup
	for range atOnce {
		wg.Go(func() {
			for sent.Add(1) <= duplicates {
				if r := s.Do(http.MethodPost, "/pets", "k", slow); !inFlight(r) {
					t.Errorf("a duplicate got %d %s", r.Status, r.Body)
				}
			}
		})
	}
	for i := range others {
		s.post(fmt.Sprintf("other-%d", i)).Want(t, http.StatusCreated)
	}
	wg.Wait()
	if got := s.pool.Stat().AcquireCount() - acquired; got != others {
		t.Errorf("%d connections were taken, want the %d of the other keys", got, others)
	}
	close(release)
	answer := <-first
	again := s.Do(http.MethodPost, "/pets", "k", slow)
	if !again.Replayed() || !bytes.Equal(again.Body, answer.Body) || runs.Load() != 1 && !serializable() { // it may ask for another run
		t.Errorf("%d runs; got %s, want %s", runs.Load(), again.Body, answer.Body)
	}
	s.wantRows(1+others, 1+others)
}

// A storm of replays shares what one of them has read.
func TestStormOfReplays(t *testing.T) {
	t.Parallel()
	const duplicates = 1000
	s := start(t, setup{poolSize: 2})
	first := s.post("k").Want(t, http.StatusCreated)
	var wg sync.WaitGroup
	for range duplicates {
		wg.Go(func() {
			if r := s.post("k"); !r.Replayed() || !bytes.Equal(r.Body, first.Body) {
				t.Errorf("got %d %s", r.Status, r.Body)
			}
		})
	}
	wg.Wait()
	s.wantRows(1, 1)
}

// waiting is createPet with a wait, which the spec may give it, on the same
// database.
func TestWaitingDuplicates(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	var runs atomic.Int32
	entered, release := make(chan struct{}, 100), make(chan struct{})
	servers := make([]*engineServer, 2)
	for i := range servers {
		servers[i] = newEngineServer(t, url, idem.Config{}, 10*time.Second, func(context.Context, *idem.Tx) (idem.Response, error) {
			runs.Add(1)
			entered <- struct{}{}
			<-release
			return text("done"), nil
		})
	}
	const duplicates = 50
	answers := make(chan shoptest.Response, duplicates)
	send := func(s *engineServer) { answers <- s.post("k", "body") }
	go send(servers[0])
	<-entered
	for i := range duplicates - 1 {
		go send(servers[i%2])
	}
	time.Sleep(100 * time.Millisecond) // some of them wait by now, on both servers
	close(release)
	replayed := 0
	for range duplicates {
		r := <-answers
		r.Want(t, http.StatusOK)
		if string(r.Body) != "done" {
			t.Errorf("got %s", r.Body)
		}
		if r.Replayed() {
			replayed++
		}
	}
	if runs.Load() != 1 || replayed != duplicates-1 {
		t.Errorf("%d runs, %d replays", runs.Load(), replayed)
	}
}

// The wait ends, and so does the number of those who may wait.
func TestWaitingIsBounded(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}, 1), make(chan struct{})
	s := newEngineServer(t, migrated(t), idem.Config{MaxWaiters: 2}, 300*time.Millisecond, func(context.Context, *idem.Tx) (idem.Response, error) {
		entered <- struct{}{}
		<-release
		return text("done"), nil
	})
	first := make(chan shoptest.Response, 1)
	go func() { first <- s.post("k", "body") }()
	<-entered
	began := time.Now()
	var waited, atOnce atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			s.post("k", "body").WantProblem(t, http.StatusConflict, idem.CodeInFlight)
			if time.Since(began) >= 300*time.Millisecond {
				waited.Add(1)
			} else {
				atOnce.Add(1)
			}
		})
	}
	wg.Wait()
	if waited.Load() < 2 || atOnce.Load() == 0 {
		t.Errorf("%d waited, %d were answered at once; at most 2 may wait", waited.Load(), atOnce.Load())
	}
	close(release)
	(<-first).Want(t, http.StatusOK)
}

// A duplicate that has waited for a failure runs itself.
func TestWaitingForAFailure(t *testing.T) {
	t.Parallel()
	var runs atomic.Int32
	entered, release := make(chan struct{}, 2), make(chan struct{})
	s := newEngineServer(t, migrated(t), idem.Config{}, 10*time.Second, func(context.Context, *idem.Tx) (idem.Response, error) {
		entered <- struct{}{}
		<-release
		if runs.Add(1) == 1 {
			return nil, context.Canceled
		}
		return text("done"), nil
	})
	answers := make(chan shoptest.Response, 2)
	go func() { answers <- s.post("k", "body") }()
	<-entered
	go func() { answers <- s.post("k", "body") }()
	time.Sleep(50 * time.Millisecond) // the duplicate waits by now, or runs right after
	close(release)
	statuses := map[int]int{(<-answers).Status: 1}
	statuses[(<-answers).Status]++
	if statuses[http.StatusOK] != 1 || statuses[http.StatusInternalServerError] != 1 || runs.Load() != 2 {
		t.Errorf("%v, %d runs", statuses, runs.Load())
	}
}
