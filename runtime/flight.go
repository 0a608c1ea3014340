package runtime

import (
	"context"
	"sync"
	"time"
)

// flights are the keys that this process is working on. One request of a key
// leads: it alone uses the pool. The others follow it and share what it finds,
// so that any number of duplicates costs one connection.
type flights struct {
	mu      sync.Mutex
	byID    map[ID]*flight
	waiting int
}

// flight is the work on one key, from a leader's first look at the database
// until it has answered.
type flight struct {
	// stage is where the leader is. Who joins at one can't be answered with what
	// was read or written before, which may have expired by then. It is guarded
	// by the mutex of flights.
	stage stage
	// looked is closed once it is known whether the key has an answer. found is
	// that answer, and failed why it can't be known.
	looked chan struct{}
	found  *Record
	failed error
	// done is closed at the end. stored is then the record of the answer, or
	// nil if the leader has left none.
	done   chan struct{}
	stored *Record

	once sync.Once
}

// stage is where the leader of a flight is.
type stage uint8

const (
	gathering  stage = iota // it hasn't asked yet: found will be fresh
	working                 // the claim was sent: stored will be fresh
	committing              // the commit was sent
)

// join returns the flight of a key, at which stage the caller joins it, and
// whether it leads.
func (f *flights) join(id ID) (fl *flight, at stage, leads bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if fl := f.byID[id]; fl != nil {
		return fl, fl.stage, false
	}
	if f.byID == nil {
		f.byID = map[ID]*flight{}
	}
	fl = &flight{looked: make(chan struct{}), done: make(chan struct{})}
	f.byID[id] = fl
	return fl, gathering, true
}

// enters is called right before the leader enters a stage.
func (f *flights) enters(fl *flight, stage stage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fl.stage = stage
}

// look tells the followers what the leader has found out; the first time counts.
func (fl *flight) look(found *Record, failed error) {
	fl.once.Do(func() {
		fl.found, fl.failed = found, failed
		close(fl.looked)
	})
}

// land ends the leader's flight. It is deferred, so that a panic lands too.
func (f *flights) land(id ID, fl *flight) {
	f.mu.Lock()
	delete(f.byID, id)
	f.mu.Unlock()
	close(fl.done) // first: who has waited for the look must see that it's over
	fl.look(nil, nil)
}

// follow waits for the leader: for its look always, for its end until the
// deadline. It returns the record that answers, or nil if the leader has left
// none that does, and it is another's turn.
func (e *Engine) follow(ctx context.Context, fl *flight, at stage, deadline time.Time) (*Record, error) {
	select {
	case <-fl.looked:
	case <-ctx.Done():
		return nil, inFlight()
	}
	switch {
	case fl.failed != nil:
		return nil, fl.failed
	case fl.found != nil && at == gathering:
		return fl.found, nil
	case fl.found != nil, at == committing:
		// The end is one round trip away, and then it is the next flight's turn.
		if !fl.ends(ctx, max(landing, time.Until(deadline))) {
			return nil, inFlight()
		}
		return nil, nil
	}
	if fl.ends(ctx, 0) {
		return fl.stored, nil
	}
	patience := time.Until(deadline)
	if patience <= 0 || !e.flights.enter(e.cfg.MaxWaiters) {
		return nil, inFlight()
	}
	defer e.flights.leave()
	if !fl.ends(ctx, patience) {
		return nil, inFlight()
	}
	return fl.stored, nil
}

// landing is how long a follower waits for a leader that is as good as done. A
// database that doesn't answer the commit must not hold up all duplicates.
const landing = time.Second

// ends waits for the leader's end, for some time at most.
func (fl *flight) ends(ctx context.Context, patience time.Duration) bool {
	select {
	case <-fl.done:
		return true
	default:
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-fl.done:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// enter takes one of the places for waiters, if there is one.
func (f *flights) enter(places int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waiting >= places {
		return false
	}
	f.waiting++
	return true
}

func (f *flights) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting--
}
