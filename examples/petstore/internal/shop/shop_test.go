package shop_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
)

// answers counts the responses of many requests by status.
type answers struct {
	sync.Mutex
	byStatus map[int]int
}

// atOnce runs f n times concurrently, and counts the statuses.
func atOnce(n int, f func(i int) shoptest.Response) map[int]int {
	counted := answers{byStatus: map[int]int{}}
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			status := f(i).Status
			counted.Lock()
			defer counted.Unlock()
			counted.byStatus[status]++
		})
	}
	group.Wait()
	return counted.byStatus
}

func TestEmptyLists(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	for _, path := range []string{"/pets", "/products", "/orders"} {
		response := shop.Do(http.MethodGet, path, "", nil).Want(t, http.StatusOK)
		if got := string(response.Body); got != "[]\n" {
			t.Errorf("GET %s: %q, want an empty list", path, got)
		}
	}
}

func TestValidation(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	for _, c := range []struct{ name, method, path, body string }{
		{"pet without name", "POST", "/pets", `{}`},
		{"pet with empty name", "POST", "/pets", `{"name": ""}`},
		{"NUL, which text columns don't take", "POST", "/pets", `{"name": "a\u0000b"}`},
		{"negative price", "POST", "/pets", `{"name": "Rex", "price_cents": -1}`},
		{"price that isn't a number", "POST", "/pets", `{"name": "Rex", "price_cents": "1"}`},
		{"no JSON", "POST", "/pets/search", `name=Rex`},
		{"no change", "PATCH", "/pets/1", `{}`},
		{"id that isn't a number", "DELETE", "/pets/rex", ``},
		{"no tags", "POST", "/pets/search", `{"tags": []}`},
		{"page of nothing", "GET", "/pets?limit=0", ``},
		{"page of too much", "GET", "/orders?limit=201", ``},
		{"SKU in capitals", "PUT", "/products/CATNIP", `{"name": "Catnip", "price_cents": 1}`},
		{"SKU that isn't UTF-8", "GET", "/products/%ff", ``},
		{"order of nothing", "POST", "/orders", `{"sku": "catnip", "quantity": 0}`},
		{"order of too much", "POST", "/orders", `{"sku": "catnip", "quantity": 1001}`},
		{"payment without card", "POST", "/orders/1/payments", `{}`},
		{"refund of nothing", "POST", "/payments/1/refunds", `{"amount_cents": 0}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			const key = "0b0c4e8e-6f0c-4c39-8f5a-6a1c4f6b2f3d"
			var body any
			if c.body != "" {
				body = c.body
			}
			shop.Do(c.method, c.path, key, body).WantProblem(t, http.StatusBadRequest, "request-invalid")
		})
	}
}

// A request that was refused as invalid has used nothing up: its key is free
// for the corrected one.
func TestKeyIsFreeAfterInvalidRequest(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	shop.Do(http.MethodPost, "/pets", "k1", `{"name": ""}`).Want(t, http.StatusBadRequest)
	shop.Do(http.MethodPost, "/pets", "k1", `{"name": "Rex"}`).Want(t, http.StatusCreated)
}
