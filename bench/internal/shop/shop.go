// Package shop is the service that every candidate of the benchmark serves: two
// writes, an order that takes from the stock and a review that is one INSERT.
package shop

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/bench/internal/shop/api"
	"github.com/idemgen/idemgen/bench/internal/shop/db"
)

// ErrOutOfStock says that there is less on the shelf than was ordered.
var ErrOutOfStock = errors.New("out of stock")

// PlaceOrder takes a product from the shelf for somebody.
func PlaceOrder(ctx context.Context, q *db.Queries, order *api.NewOrder) (api.Order, error) {
	price, err := q.TakeStock(ctx, db.TakeStockParams{Sku: order.Sku, Quantity: order.Quantity})
	if errors.Is(err, pgx.ErrNoRows) {
		return api.Order{}, ErrOutOfStock
	}
	if err != nil {
		return api.Order{}, fmt.Errorf("take stock: %w", err)
	}
	placed, err := q.CreateOrder(ctx, db.CreateOrderParams{
		Sku:        order.Sku,
		Quantity:   order.Quantity,
		Reference:  order.Reference,
		TotalCents: price * int64(order.Quantity),
	})
	if err != nil {
		return api.Order{}, fmt.Errorf("create order: %w", err)
	}
	return api.Order{
		Id:         placed.ID,
		Sku:        placed.Sku,
		Quantity:   placed.Quantity,
		Reference:  placed.Reference,
		TotalCents: placed.TotalCents,
		CreatedAt:  placed.CreatedAt,
	}, nil
}

// CreateReview says something about a product.
func CreateReview(ctx context.Context, q *db.Queries, review *api.NewReview) (api.Review, error) {
	created, err := q.CreateReview(ctx, db.CreateReviewParams{Sku: review.Sku, Stars: review.Stars, Text: review.Text})
	if err != nil {
		return api.Review{}, fmt.Errorf("create review: %w", err)
	}
	return api.Review{Id: created.ID, Sku: created.Sku, Stars: created.Stars, Text: created.Text, CreatedAt: created.CreatedAt}, nil
}
