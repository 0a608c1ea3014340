package shop

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/internal/auth"
	"github.com/idemgen/idemgen/examples/petstore/internal/db"
	idem "github.com/idemgen/idemgen/runtime"
)

// PayOrder pays an order with a card. Two payments of one order are kept apart
// by the order's status, whatever their keys.
func (s *Shop) PayOrder(ctx context.Context, tx *idem.Tx, request api.PayOrderRequestObject) (api.PayOrderResponseObject, error) {
	q := db.New(tx)
	order, err := closeOrder(ctx, q, request.OrderId, api.OrderPaid)
	switch {
	case errors.Is(err, errNoOrder):
		return api.PayOrder404ApplicationProblemPlusJSONResponse(noSuch("order")), nil
	case errors.Is(err, errOrderClosed):
		return api.PayOrder409ApplicationProblemPlusJSONResponse(orderClosed()), nil
	case err != nil:
		return nil, err
	}
	if !charge(request.Body.CardToken) {
		// What was written is undone, as for every 4xx: the order isn't paid.
		return api.PayOrder402ApplicationProblemPlusJSONResponse(
			problem(http.StatusPaymentRequired, "card-declined", "the card was declined; try another one, with a new key")), nil
	}
	payment, err := q.CreatePayment(ctx, db.CreatePaymentParams{
		Tenant:      auth.Tenant(ctx),
		OrderID:     order.ID,
		AmountCents: order.TotalCents,
	})
	if err != nil {
		return nil, fmt.Errorf("create payment: %w", err)
	}
	return api.PayOrder201JSONResponse{
		Body:    toPayment(payment),
		Headers: api.PayOrder201ResponseHeaders{Location: fmt.Sprintf("/payments/%d", payment.ID)},
	}, nil
}

// charge pretends. A real card company is outside of the transaction: a
// rollback wouldn't give the money back, and another run would charge again.
func charge(cardToken string) bool { return cardToken != "tok_declined" }

// GetPayment finds one payment.
func (s *Shop) GetPayment(ctx context.Context, request api.GetPaymentRequestObject) (api.GetPaymentResponseObject, error) {
	payment, err := db.New(s.pool).GetPayment(ctx, db.GetPaymentParams{Tenant: auth.Tenant(ctx), ID: request.PaymentId})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return api.GetPayment404ApplicationProblemPlusJSONResponse(noSuch("payment")), nil
	case err != nil:
		return nil, fmt.Errorf("get payment: %w", err)
	}
	return api.GetPayment200JSONResponse(toPayment(payment)), nil
}

// RefundPayment gives back a payment or a part of it, and never more.
func (s *Shop) RefundPayment(ctx context.Context, tx *idem.Tx, request api.RefundPaymentRequestObject) (api.RefundPaymentResponseObject, error) {
	q, tenant, amount := db.New(tx), auth.Tenant(ctx), request.Body.AmountCents
	taken, err := q.TakeFromPayment(ctx, db.TakeFromPaymentParams{Tenant: tenant, ID: request.PaymentId, AmountCents: amount})
	if err != nil {
		return nil, fmt.Errorf("take from payment: %w", err)
	}
	if taken == 0 {
		return refuseRefund(ctx, q, request.PaymentId)
	}
	refund, err := q.CreateRefund(ctx, db.CreateRefundParams{
		Tenant:      tenant,
		PaymentID:   request.PaymentId,
		AmountCents: amount,
		Reason:      request.Body.Reason,
	})
	if err != nil {
		return nil, fmt.Errorf("create refund: %w", err)
	}
	return api.RefundPayment201JSONResponse(toRefund(refund)), nil
}

func refuseRefund(ctx context.Context, q *db.Queries, payment api.PaymentId) (api.RefundPaymentResponseObject, error) {
	_, err := q.GetPayment(ctx, db.GetPaymentParams{Tenant: auth.Tenant(ctx), ID: payment})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return api.RefundPayment404ApplicationProblemPlusJSONResponse(noSuch("payment")), nil
	case err != nil:
		return nil, fmt.Errorf("get payment: %w", err)
	}
	return api.RefundPayment409ApplicationProblemPlusJSONResponse(
		problem(http.StatusConflict, "refund-too-large", "less than that is left of the payment")), nil
}

func toPayment(p db.Payment) api.Payment {
	return api.Payment{
		Id:            p.ID,
		OrderId:       p.OrderID,
		AmountCents:   p.AmountCents,
		RefundedCents: p.RefundedCents,
		BookedCents:   p.BookedCents,
		CreatedAt:     p.CreatedAt.UTC(),
	}
}

func toRefund(r db.Refund) api.Refund {
	return api.Refund{
		Id:          r.ID,
		PaymentId:   r.PaymentID,
		AmountCents: r.AmountCents,
		Reason:      r.Reason,
		CreatedAt:   r.CreatedAt.UTC(),
	}
}
