package runtime

import "sync"

// recent are keys that this process has lately seen an answer to. A request
// with one of them is most likely a retry, and is looked up before a
// transaction is begun. It is a guess that costs or saves a round trip: what
// counts is in the database.
type recent struct {
	mu         sync.Mutex
	young, old map[ID]struct{}
}

// generation bounds the keys: twice as many are remembered at most, in about
// 1 MB. Clients retry soon.
const generation = 1 << 14

func (r *recent) add(id ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.young == nil || len(r.young) == generation {
		r.old, r.young = r.young, map[ID]struct{}{}
	}
	r.young[id] = struct{}{}
}

func (r *recent) has(id ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, young := r.young[id]
	_, old := r.old[id]
	return young || old
}
