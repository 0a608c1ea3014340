package shop_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
)

// stock is how much is on acme's shelf.
func stock(t *testing.T, shop *shoptest.Shop, sku string) int32 {
	t.Helper()
	return shoptest.Decode[api.Product](t, shop.Do(http.MethodGet, "/products/"+sku, "", nil).Want(t, http.StatusOK)).Stock
}

// placeOrder orders catnip for acme and returns the path of the order.
func placeOrder(t *testing.T, shop *shoptest.Shop, key string, quantity int) string {
	t.Helper()
	body := fmt.Sprintf(`{"sku": "catnip", "quantity": %d}`, quantity)
	return shop.Do(http.MethodPost, "/orders", key, body).Want(t, http.StatusCreated).Header.Get("Location")
}

func TestPutProduct(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	const path = "/products/catnip"
	for _, c := range []struct {
		body string
		want api.Product
	}{
		{`{"name": "Catnip", "price_cents": 250}`, api.Product{Sku: "catnip", Name: "Catnip", PriceCents: 250}},
		{`{"name": "Catnip", "price_cents": 250, "stock": 7}`, api.Product{Sku: "catnip", Name: "Catnip", PriceCents: 250, Stock: 7}},
		{`{"name": "Minze", "price_cents": 300}`, api.Product{Sku: "catnip", Name: "Minze", PriceCents: 300, Stock: 7}},
		{`{"name": "Minze", "price_cents": 0, "stock": 0}`, api.Product{Sku: "catnip", Name: "Minze"}},
	} {
		for range 2 {
			response := shop.Do(http.MethodPut, path, "", c.body).Want(t, http.StatusOK)
			if got := shoptest.Decode[api.Product](t, response); got != c.want {
				t.Errorf("PUT %s: got %+v, want %+v", c.body, got, c.want)
			}
		}
		if got := shoptest.Decode[api.Product](t, shop.Do(http.MethodGet, path, "", nil)); got != c.want {
			t.Errorf("GET after PUT %s: got %+v, want %+v", c.body, got, c.want)
		}
	}
	shop.Globex().Do(http.MethodGet, path, "", nil).WantProblem(t, http.StatusNotFound, "product-not-found")
}

func TestStockNeverGoesBelowZero(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	shop.Stock("catnip", 10)
	statuses := atOnce(32, func(i int) shoptest.Response {
		return shop.Do(http.MethodPost, "/orders", fmt.Sprint("k", i), `{"sku": "catnip", "quantity": 1}`)
	})
	if statuses[http.StatusCreated] != 10 || statuses[http.StatusConflict] != 22 {
		t.Errorf("answers by status: %v, want 10 orders and 22 refusals", statuses)
	}
	if left := stock(t, shop, "catnip"); left != 0 {
		t.Errorf("%d are left on the shelf, want 0", left)
	}
}

func TestPlaceOrder(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	shop.Stock("catnip", 5)
	path := placeOrder(t, shop, "k1", 3)
	order := shoptest.Decode[api.Order](t, shop.Do(http.MethodGet, path, "", nil).Want(t, http.StatusOK))
	if order.Sku != "catnip" || order.Quantity != 3 || order.TotalCents != 750 || order.Status != api.OrderPlaced {
		t.Errorf("order: %+v", order)
	}
	if left := stock(t, shop, "catnip"); left != 2 {
		t.Errorf("%d are left on the shelf, want 2", left)
	}
	shop.Do(http.MethodPost, "/orders", "k2", `{"sku": "catnip", "quantity": 3}`).WantProblem(t, http.StatusConflict, "out-of-stock")
	shop.Do(http.MethodPost, "/orders", "k3", `{"sku": "dognip", "quantity": 1}`).WantProblem(t, http.StatusNotFound, "product-not-found")
	shop.Globex().Do(http.MethodPost, "/orders", "k4", `{"sku": "catnip", "quantity": 1}`).Want(t, http.StatusNotFound)
	shop.Globex().Do(http.MethodGet, path, "", nil).WantProblem(t, http.StatusNotFound, "order-not-found")
}

func TestListOrders(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	shop.Stock("catnip", 6)
	for i := range 3 {
		placeOrder(t, shop, fmt.Sprint("k", i), i+1)
	}
	first := shoptest.Decode[[]api.Order](t, shop.Do(http.MethodGet, "/orders?limit=2", "", nil).Want(t, http.StatusOK))
	if len(first) != 2 || first[0].Quantity != 1 || first[1].Quantity != 2 {
		t.Fatalf("first page: %+v", first)
	}
	next := fmt.Sprintf("/orders?limit=2&after=%d", first[1].Id)
	second := shoptest.Decode[[]api.Order](t, shop.Do(http.MethodGet, next, "", nil).Want(t, http.StatusOK))
	if len(second) != 1 || second[0].Quantity != 3 {
		t.Fatalf("second page: %+v", second)
	}
}

func TestQuoteOrder(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	shop.Stock("catnip", 5)
	for quantity, available := range map[int]bool{5: true, 6: false} {
		body := fmt.Sprintf(`{"sku": "catnip", "quantity": %d}`, quantity)
		got := shoptest.Decode[api.Quote](t, shop.Do(http.MethodPost, "/orders/quote", "", body).Want(t, http.StatusOK))
		if want := (api.Quote{TotalCents: int64(quantity) * 250, Available: available}); got != want {
			t.Errorf("%d pieces: got %+v, want %+v", quantity, got, want)
		}
	}
	if left := stock(t, shop, "catnip"); left != 5 {
		t.Errorf("%d are left after mere questions, want 5", left)
	}
	shop.Do(http.MethodPost, "/orders/quote", "", `{"sku": "dognip", "quantity": 1}`).Want(t, http.StatusNotFound)
}

func TestCancelOrderOnce(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	shop.Stock("catnip", 5)
	path := placeOrder(t, shop, "k1", 3)
	shop.Globex().Do(http.MethodPost, path+"/cancel", "k1", nil).Want(t, http.StatusNotFound)

	statuses := atOnce(8, func(i int) shoptest.Response {
		return shop.Do(http.MethodPost, path+"/cancel", fmt.Sprint("cancel", i), nil)
	})
	if statuses[http.StatusOK] != 1 || statuses[http.StatusConflict] != 7 {
		t.Errorf("answers by status: %v, want 1 that cancels and 7 that come too late", statuses)
	}
	if left := stock(t, shop, "catnip"); left != 5 {
		t.Errorf("%d are on the shelf again, want 5", left)
	}
	shop.Do(http.MethodPost, path+"/payments", paymentKey(1), `{"card_token": "tok_visa"}`).WantProblem(t, http.StatusConflict, "order-closed")
	shop.Do(http.MethodPost, "/orders/404/cancel", "k2", nil).WantProblem(t, http.StatusNotFound, "order-not-found")
}
