package contract

import (
	"bytes"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
)

// 200 goroutines, 20 keys: each request is sent ten times at once, and again
// later. Two servers share the database, as replicas do.
func TestConcurrentDuplicates(t *testing.T) {
	t.Parallel()
	const keys, copies, stock, quantity = 20, 10, 30, 2
	url := migrated(t)
	servers := []*store{start(t, setup{url: url}), start(t, setup{url: url})}
	s := servers[0]
	s.Do(http.MethodPut, "/products/leash", "", fmt.Sprintf(`{"name":"Leash","price_cents":100,"stock":%d}`, stock)).Want(t, http.StatusOK)

	// More is ordered than there is: some keys get a stored 409.
	order := func(i, n int) shoptest.Response {
		body := fmt.Sprintf(`{"sku":"leash","quantity":%d}`, quantity)
		return servers[n%2].Do(http.MethodPost, "/orders", fmt.Sprintf("order-%d", i), body)
	}
	answers := make([][]shoptest.Response, keys)
	var mu sync.Mutex
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for i := range keys {
		for n := range copies {
			wg.Go(func() {
				<-begin
				r := order(i, n)
				mu.Lock()
				answers[i] = append(answers[i], r)
				mu.Unlock()
			})
		}
	}
	close(begin)
	wg.Wait()
	for i := range keys {
		for n := range copies {
			answers[i] = append(answers[i], order(i, n))
		}
	}

	placed := 0
	for i, all := range answers {
		final := all[len(all)-1]
		executed := 0
		for _, r := range all {
			switch {
			case inFlight(r):
			case r.Status != final.Status || !bytes.Equal(r.Body, final.Body):
				t.Errorf("key %d: %d %s, and also %d %s", i, r.Status, r.Body, final.Status, final.Body)
			case !r.Replayed():
				executed++
			}
		}
		if executed != 1 {
			t.Errorf("key %d was executed %d times", i, executed)
		}
		if final.Status == http.StatusCreated {
			placed++
		}
	}
	if want := stock / quantity; placed != want {
		t.Errorf("%d orders were placed, want %d", placed, want)
	}
	if got := s.count("SELECT stock FROM products"); got != stock-placed*quantity {
		t.Errorf("%d are left, want %d", got, stock-placed*quantity)
	}
	if got := s.count("SELECT count(*) FROM orders"); got != placed {
		t.Errorf("%d orders in the database, %d were answered", got, placed)
	}
	if got := s.count("SELECT count(*) FROM idempotency_records"); got != keys {
		t.Errorf("%d records, want %d", got, keys)
	}
}

func inFlight(r shoptest.Response) bool {
	return r.Status == http.StatusConflict && bytes.Contains(r.Body, []byte(`"in-flight"`))
}
