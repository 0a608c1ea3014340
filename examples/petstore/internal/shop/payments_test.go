package shop_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
)

const goodCard, declinedCard = `{"card_token": "tok_visa"}`, `{"card_token": "tok_declined"}`

// paymentKey is the i-th key that payOrder takes: a UUID.
func paymentKey(i int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", i) }

func TestPayOrderOnce(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	shop.Stock("catnip", 5)
	path := placeOrder(t, shop, "k1", 3)
	shop.Globex().Do(http.MethodPost, path+"/payments", paymentKey(0), goodCard).Want(t, http.StatusNotFound)

	statuses := atOnce(8, func(i int) shoptest.Response {
		return shop.Do(http.MethodPost, path+"/payments", paymentKey(i), goodCard)
	})
	if statuses[http.StatusCreated] != 1 || statuses[http.StatusConflict] != 7 {
		t.Errorf("answers by status: %v, want 1 payment and 7 that come too late", statuses)
	}
	order := shoptest.Decode[api.Order](t, shop.Do(http.MethodGet, path, "", nil))
	if order.Status != api.OrderPaid {
		t.Errorf("the order is %s, want paid", order.Status)
	}
	shop.Do(http.MethodPost, path+"/cancel", "k2", nil).WantProblem(t, http.StatusConflict, "order-closed")
}

func TestPayOrderNeedsUUID(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	shop.Do(http.MethodPost, "/orders/1/payments", "k1", goodCard).WantProblem(t, http.StatusBadRequest, "key-invalid")
}

// A declined card leaves the order as it was. The refusal is the key's answer
// for good; another card takes another key.
func TestDeclinedCard(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	shop.Stock("catnip", 5)
	path := placeOrder(t, shop, "k1", 3)

	shop.Do(http.MethodPost, path+"/payments", paymentKey(1), declinedCard).WantProblem(t, http.StatusPaymentRequired, "card-declined")
	order := shoptest.Decode[api.Order](t, shop.Do(http.MethodGet, path, "", nil))
	if order.Status != api.OrderPlaced {
		t.Errorf("the order is %s, want it placed still", order.Status)
	}
	again := shop.Do(http.MethodPost, path+"/payments", paymentKey(1), declinedCard)
	again.WantProblem(t, http.StatusPaymentRequired, "card-declined")
	if !again.Replayed() {
		t.Error("the retry of the declined payment isn't a replay")
	}
	shop.Do(http.MethodPost, path+"/payments", paymentKey(1), goodCard).WantProblem(t, http.StatusUnprocessableEntity, "key-reused")
	shop.Do(http.MethodPost, path+"/payments", paymentKey(2), goodCard).Want(t, http.StatusCreated)
}

func TestRefundsNeverExceedPayment(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	shop.Stock("catnip", 5)
	order := placeOrder(t, shop, "k1", 4) // 1000 cents
	payment := shop.Do(http.MethodPost, order+"/payments", paymentKey(1), goodCard).Want(t, http.StatusCreated).Header.Get("Location")
	refunds := payment + "/refunds"
	shop.Globex().Do(http.MethodGet, payment, "", nil).WantProblem(t, http.StatusNotFound, "payment-not-found")
	shop.Globex().Do(http.MethodPost, refunds, "k1", `{"amount_cents": 1}`).WantProblem(t, http.StatusNotFound, "payment-not-found")

	shop.Do(http.MethodPost, refunds, "k1", `{"amount_cents": 9223372036854775807}`).WantProblem(t, http.StatusConflict, "refund-too-large")
	refund := shop.Do(http.MethodPost, refunds, "k2", `{"amount_cents": 300, "reason": "stale"}`).Want(t, http.StatusCreated)
	if got := shoptest.Decode[api.Refund](t, refund); got.AmountCents != 300 || *got.Reason != "stale" {
		t.Errorf("refund: %s", refund.Body)
	}
	statuses := atOnce(8, func(int) shoptest.Response { // without a key: none is a retry of another
		return shop.Do(http.MethodPost, refunds, "", `{"amount_cents": 200}`)
	})
	if statuses[http.StatusCreated] != 3 || statuses[http.StatusConflict] != 5 {
		t.Errorf("answers by status: %v, want 3 refunds and 5 refusals", statuses)
	}
	got := shoptest.Decode[api.Payment](t, shop.Do(http.MethodGet, payment, "", nil).Want(t, http.StatusOK))
	if got.AmountCents != 1000 || got.RefundedCents != 900 {
		t.Errorf("payment: %+v, want 900 of 1000 refunded", got)
	}
}
