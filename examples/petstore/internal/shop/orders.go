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

// PlaceOrder takes a product from the shelf for somebody.
func (s *Shop) PlaceOrder(ctx context.Context, tx *idem.Tx, request api.PlaceOrderRequestObject) (api.PlaceOrderResponseObject, error) {
	q, tenant := db.New(tx), auth.Tenant(ctx)
	price, err := q.TakeStock(ctx, db.TakeStockParams{Tenant: tenant, Sku: request.Body.Sku, Quantity: request.Body.Quantity})
	if errors.Is(err, pgx.ErrNoRows) {
		return refuseOrder(ctx, q, tenant, request.Body.Sku)
	}
	if err != nil {
		return nil, fmt.Errorf("take stock: %w", err)
	}
	order, err := q.CreateOrder(ctx, db.CreateOrderParams{
		Tenant:     tenant,
		Sku:        request.Body.Sku,
		Quantity:   request.Body.Quantity,
		TotalCents: price * int64(request.Body.Quantity),
	})
	if err != nil {
		return nil, fmt.Errorf("create order: %w", err)
	}
	return api.PlaceOrder201JSONResponse{
		Body:    toOrder(order),
		Headers: api.PlaceOrder201ResponseHeaders{Location: fmt.Sprintf("/orders/%d", order.ID)},
	}, nil
}

// refuseOrder says why there was nothing to take. The refusal is stored: a
// retry gets it too, even if stock has come in since. A new try takes a new key.
func refuseOrder(ctx context.Context, q *db.Queries, tenant, sku string) (api.PlaceOrderResponseObject, error) {
	_, err := q.GetProduct(ctx, db.GetProductParams{Tenant: tenant, Sku: sku})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return api.PlaceOrder404ApplicationProblemPlusJSONResponse(noSuch("product")), nil
	case err != nil:
		return nil, fmt.Errorf("get product: %w", err)
	}
	return api.PlaceOrder409ApplicationProblemPlusJSONResponse(
		problem(http.StatusConflict, "out-of-stock", "there are not that many on the shelf")), nil
}

// QuoteOrder says what an order would cost, and promises nothing.
func (s *Shop) QuoteOrder(ctx context.Context, request api.QuoteOrderRequestObject) (api.QuoteOrderResponseObject, error) {
	product, err := db.New(s.pool).GetProduct(ctx, db.GetProductParams{Tenant: auth.Tenant(ctx), Sku: request.Body.Sku})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return api.QuoteOrder404ApplicationProblemPlusJSONResponse(noSuch("product")), nil
	case err != nil:
		return nil, fmt.Errorf("get product: %w", err)
	}
	return api.QuoteOrder200JSONResponse{
		TotalCents: product.PriceCents * int64(request.Body.Quantity),
		Available:  product.Stock >= request.Body.Quantity,
	}, nil
}

// GetOrder finds one order.
func (s *Shop) GetOrder(ctx context.Context, request api.GetOrderRequestObject) (api.GetOrderResponseObject, error) {
	order, err := db.New(s.pool).GetOrder(ctx, db.GetOrderParams{Tenant: auth.Tenant(ctx), ID: request.OrderId})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return api.GetOrder404ApplicationProblemPlusJSONResponse(noSuch("order")), nil
	case err != nil:
		return nil, fmt.Errorf("get order: %w", err)
	}
	return api.GetOrder200JSONResponse(toOrder(order)), nil
}

// ListOrders lists a page of orders.
func (s *Shop) ListOrders(ctx context.Context, request api.ListOrdersRequestObject) (api.ListOrdersResponseObject, error) {
	orders, err := db.New(s.pool).ListOrders(ctx, db.ListOrdersParams{
		Tenant:   auth.Tenant(ctx),
		After:    or(request.Params.After, 0),
		PageSize: pageSize(request.Params.Limit),
	})
	if err != nil {
		return nil, fmt.Errorf("list orders: %w", err)
	}
	return api.ListOrders200JSONResponse(each(orders, toOrder)), nil
}

// CancelOrder puts the product of an unpaid order back on the shelf.
func (s *Shop) CancelOrder(ctx context.Context, tx *idem.Tx, request api.CancelOrderRequestObject) (api.CancelOrderResponseObject, error) {
	q, tenant := db.New(tx), auth.Tenant(ctx)
	order, err := closeOrder(ctx, q, request.OrderId, api.OrderCanceled)
	switch {
	case errors.Is(err, errNoOrder):
		return api.CancelOrder404ApplicationProblemPlusJSONResponse(noSuch("order")), nil
	case errors.Is(err, errOrderClosed):
		return api.CancelOrder409ApplicationProblemPlusJSONResponse(orderClosed()), nil
	case err != nil:
		return nil, err
	}
	if err := q.ReturnStock(ctx, db.ReturnStockParams{Tenant: tenant, Sku: order.Sku, Quantity: order.Quantity}); err != nil {
		return nil, fmt.Errorf("return stock: %w", err)
	}
	return api.CancelOrder200JSONResponse(toOrder(order)), nil
}

var (
	errNoOrder     = errors.New("no such order")
	errOrderClosed = errors.New("the order isn't open any more")
)

// closeOrder pays or cancels an order that is neither paid nor canceled. Of two
// that try at once, the second waits for the first and gets errOrderClosed.
func closeOrder(ctx context.Context, q *db.Queries, id api.OrderId, status api.OrderStatus) (db.Order, error) {
	tenant := auth.Tenant(ctx)
	order, err := q.CloseOrder(ctx, db.CloseOrderParams{Tenant: tenant, ID: id, Status: string(status)})
	if err == nil {
		return order, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return db.Order{}, fmt.Errorf("close order: %w", err)
	}
	_, err = q.GetOrder(ctx, db.GetOrderParams{Tenant: tenant, ID: id})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return db.Order{}, errNoOrder
	case err != nil:
		return db.Order{}, fmt.Errorf("get order: %w", err)
	}
	return db.Order{}, errOrderClosed
}

func orderClosed() api.Problem {
	return problem(http.StatusConflict, "order-closed", "the order is paid or canceled already")
}

func toOrder(o db.Order) api.Order {
	return api.Order{
		Id:         o.ID,
		Sku:        o.Sku,
		Quantity:   o.Quantity,
		TotalCents: o.TotalCents,
		Status:     api.OrderStatus(o.Status),
		CreatedAt:  o.CreatedAt.UTC(),
	}
}
