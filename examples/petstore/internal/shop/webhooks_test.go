package shop_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
)

// settled is the event that 750 cents of acme's payment have come.
func settled(payment int64) string {
	return fmt.Sprintf(`{"type": "payment.settled", "data": {"tenant": "acme", "payment_id": %d, "amount_cents": 750}}`, payment)
}

// paid is a payment of 750 cents by acme.
func paid(t *testing.T, shop *shoptest.Shop) int64 {
	t.Helper()
	shop.Stock("catnip", 5)
	order := placeOrder(t, shop, "k1", 3)
	return shoptest.Decode[api.Payment](t, shop.Do(http.MethodPost, order+"/payments", paymentKey(1), goodCard).Want(t, http.StatusCreated)).Id
}

// wantBooked compares the payment's sum, and the number of bookings of anybody.
func wantBooked(t *testing.T, shop *shoptest.Shop, payment int64, cents int64, bookings int) {
	t.Helper()
	got := shoptest.Decode[api.Payment](t, shop.Do(http.MethodGet, fmt.Sprint("/payments/", payment), "", nil).Want(t, http.StatusOK))
	if got.BookedCents != cents {
		t.Errorf("booked %d cents, want %d", got.BookedCents, cents)
	}
	var rows int
	if err := shop.Pool.QueryRow(t.Context(), "SELECT count(*) FROM bookings").Scan(&rows); err != nil {
		t.Fatal(err)
	}
	if rows != bookings {
		t.Errorf("%d bookings, want %d", rows, bookings)
	}
}

// The provider delivers an event until it gets a 2xx, and at times once more.
// Each delivery is signed anew, with its own time.
func TestPaymentEventIsBookedOnce(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	payment := paid(t, shop)
	event, now := settled(payment), time.Now()

	first := shop.Deliver(shoptest.SignedHeader(t, "evt_1", now.Add(-time.Minute), event), event).Want(t, http.StatusNoContent)
	if first.Replayed() {
		t.Error("the first delivery is answered with a replay")
	}
	for range 2 {
		if again := shop.Deliver(shoptest.SignedHeader(t, "evt_1", now, event), event).Want(t, http.StatusNoContent); !again.Replayed() {
			t.Error("the second delivery isn't a replay")
		}
	}
	wantBooked(t, shop, payment, 750, 1)

	chargedBack := strings.Replace(event, "payment.settled", "payment.charged_back", 1)
	shop.Deliver(shoptest.SignedHeader(t, "evt_2", now, chargedBack), chargedBack).Want(t, http.StatusNoContent)
	wantBooked(t, shop, payment, 0, 2)
}

func TestPaymentEventConcurrently(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	payment := paid(t, shop)
	event := settled(payment)
	header := shoptest.SignedHeader(t, "evt_1", time.Now(), event)
	statuses := atOnce(8, func(int) shoptest.Response { return shop.Deliver(header, event) })
	if statuses[http.StatusNoContent]+statuses[http.StatusConflict] != 8 || statuses[http.StatusNoContent] == 0 {
		t.Errorf("answers by status: %v, want 204, and 409 while it is being booked", statuses)
	}
	wantBooked(t, shop, payment, 750, 1)
}

// What the provider hasn't signed does nothing, and uses up no event.
func TestForgedPaymentEvents(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	payment := paid(t, shop)
	event, now := settled(payment), time.Now()
	good := func() http.Header { return shoptest.SignedHeader(t, "evt_1", now, event) }
	changed := func(name, value string) http.Header {
		header := good()
		header.Set(name, value)
		return header
	}
	for name, forged := range map[string]struct {
		header http.Header
		body   string
	}{
		"tampered body": {good(), strings.Replace(event, "750", "999", 1)},
		"bad signature": {changed("webhook-signature", "v1,"+strings.Repeat("A", 43)+"="), event},
		"other id":      {changed("webhook-id", "evt_2"), event},
		"old":           {shoptest.SignedHeader(t, "evt_1", now.Add(-6*time.Minute), event), event},
		"renewed time":  {changed("webhook-timestamp", fmt.Sprint(now.Unix()+60)), event},
		"unsigned":      {http.Header{}, event},
	} {
		t.Run(name, func(t *testing.T) {
			shop.Deliver(forged.header, forged.body).WantProblem(t, http.StatusUnauthorized, "signature-invalid")
		})
	}
	wantBooked(t, shop, payment, 0, 0)
	shop.Deliver(good(), event).Want(t, http.StatusNoContent)
	wantBooked(t, shop, payment, 750, 1)
	shop.Deliver(changed("webhook-signature", "v1,AAAA"), event).WantProblem(t, http.StatusUnauthorized, "signature-invalid")
}

// An event that comes before its payment can be delivered again later.
func TestPaymentEventBeforeThePayment(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	const payment = 1 // the first one's id
	event := settled(payment)
	header := shoptest.SignedHeader(t, "evt_1", time.Now(), event)
	shop.Deliver(header, event).WantProblem(t, http.StatusNotFound, "payment-not-found")
	if got := paid(t, shop); got != payment {
		t.Fatalf("the first payment's id is %d", got)
	}
	shop.Deliver(header, event).Want(t, http.StatusNoContent)
	wantBooked(t, shop, payment, 750, 1)
}

func TestPaymentEventTypes(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	deliver := func(id, event string) shoptest.Response {
		return shop.Deliver(shoptest.SignedHeader(t, id, time.Now(), event), event)
	}
	deliver("evt_1", `{"type": "payout.created", "data": {"bank": "x"}}`).Want(t, http.StatusNoContent)
	deliver("evt_2", `{"type": "payment.settled", "data": {}}`).WantProblem(t, http.StatusBadRequest, "request-invalid")
	deliver("evt_3", strings.Replace(settled(1), "750", "-1", 1)).WantProblem(t, http.StatusBadRequest, "request-invalid")
}
