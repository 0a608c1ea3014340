package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/idemgen/idemgen/examples/river/api"
	"github.com/idemgen/idemgen/examples/river/internal/db"
	idem "github.com/idemgen/idemgen/runtime"
)

// Shop implements the operations of openapi.yaml.
type Shop struct{ jobs *river.Client[pgx.Tx] }

// PlaceOrder writes the order and enqueues its receipt. Both go through tx, and
// so commit with the record of the answer: there is no order without its job,
// no job without its order, and a retry makes neither again.
func (s *Shop) PlaceOrder(ctx context.Context, tx *idem.Tx, request api.PlaceOrderRequestObject) (api.PlaceOrderResponseObject, error) {
	id, err := db.New(tx).CreateOrder(ctx, db.CreateOrderParams{Email: request.Body.Email, Quantity: request.Body.Quantity})
	if err != nil {
		return nil, fmt.Errorf("create order: %w", err)
	}
	if _, err := s.jobs.InsertTx(ctx, tx, ReceiptArgs{OrderID: id, Email: request.Body.Email}, nil); err != nil {
		return nil, fmt.Errorf("enqueue the receipt: %w", err)
	}
	return api.PlaceOrder201JSONResponse{Id: id, Quantity: request.Body.Quantity}, nil
}
