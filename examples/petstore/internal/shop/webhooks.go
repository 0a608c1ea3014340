package shop

import (
	"context"
	"fmt"
	"net/http"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/internal/db"
	idem "github.com/idemgen/idemgen/runtime"
)

// The types of events that are booked.
const (
	paymentSettled     = "payment.settled"
	paymentChargedBack = "payment.charged_back"
)

// ReceivePaymentEvent books what the payment provider says it has moved. Adding
// to a sum isn't safe to repeat by itself: the event's id, which is the
// idempotency key, makes it so. The tenant is the provider's to name, since
// only what it has signed comes here.
func (s *Shop) ReceivePaymentEvent(ctx context.Context, tx *idem.Tx, request api.ReceivePaymentEventRequestObject) (api.ReceivePaymentEventResponseObject, error) {
	event := request.Body
	amount := event.Data.AmountCents
	switch event.Type {
	case paymentSettled:
	case paymentChargedBack:
		amount = -amount
	default:
		return api.ReceivePaymentEvent204Response{}, nil
	}
	q := db.New(tx)
	booked, err := q.BookOnPayment(ctx, db.BookOnPaymentParams{Tenant: event.Data.Tenant, ID: event.Data.PaymentId, AmountCents: amount})
	if err != nil {
		return nil, fmt.Errorf("book on payment: %w", err)
	}
	if booked == 0 {
		// As an error, it isn't the answer for good: the provider tries again,
		// and the payment may be there by then.
		return nil, idem.NewProblem(http.StatusNotFound, "payment-not-found", "there is no such payment so far")
	}
	err = q.CreateBooking(ctx, db.CreateBookingParams{
		Tenant:      event.Data.Tenant,
		PaymentID:   event.Data.PaymentId,
		EventType:   event.Type,
		AmountCents: amount,
	})
	if err != nil {
		return nil, fmt.Errorf("create booking: %w", err)
	}
	return api.ReceivePaymentEvent204Response{}, nil
}
