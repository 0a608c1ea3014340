package main

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/orders/api"
	"example.com/orders/internal/db"
)

// service implements the operations of openapi.yaml.
type service struct{ pool *pgxpool.Pool }

// CreateOrder places an order.
func (s *service) CreateOrder(ctx context.Context, req api.CreateOrderRequestObject) (api.CreateOrderResponseObject, error) {
	order, err := db.New(s.pool).CreateOrder(ctx, db.CreateOrderParams{
		Customer: customer(ctx),
		Sku:      req.Body.Sku,
		Quantity: req.Body.Quantity,
	})
	if err != nil {
		return nil, err
	}
	return api.CreateOrder201JSONResponse(toOrder(order)), nil
}

// ListOrders lists the orders of the customer who asks.
func (s *service) ListOrders(ctx context.Context, _ api.ListOrdersRequestObject) (api.ListOrdersResponseObject, error) {
	orders, err := db.New(s.pool).ListOrders(ctx, customer(ctx))
	if err != nil {
		return nil, err
	}
	list := api.ListOrders200JSONResponse{}
	for _, order := range orders {
		list = append(list, toOrder(order))
	}
	return list, nil
}

func toOrder(o db.Order) api.Order {
	return api.Order{Id: o.ID, Sku: o.Sku, Quantity: o.Quantity}
}
