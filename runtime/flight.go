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

// join returns the flight of a key, and whether the caller leads it.
func (f *flights) join(id ID) (fl *flight, leads bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if fl := f.byID[id]; fl != nil {
		return fl, false
	}
	if f.byID == nil {
		f.byID = map[ID]*flight{}
	}
	fl = &flight{looked: make(chan struct{}), done: make(chan struct{})}
	f.byID[id] = fl
	return fl, true
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
// none and it is another's turn.
func (e *Engine) follow(ctx context.Context, fl *flight, deadline time.Time) (*Record, error) {
	select {
	case <-fl.looked:
	case <-ctx.Done():
		return nil, inFlight()
	}
	if fl.found != nil || fl.failed != nil {
		return fl.found, fl.failed
	}
	select {
	case <-fl.done:
		return fl.stored, nil
	default:
	}
	patience := time.Until(deadline)
	if patience <= 0 || !e.flights.enter(e.cfg.MaxWaiters) {
		return nil, inFlight()
	}
	defer e.flights.leave()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-fl.done:
		return fl.stored, nil
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil, inFlight()
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
