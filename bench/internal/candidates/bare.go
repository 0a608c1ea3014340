package candidates

import (
	"context"
	"errors"
	"net/http"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/bench/internal/shop"
	"github.com/idemgen/idemgen/bench/internal/shop/api"
	"github.com/idemgen/idemgen/bench/internal/shop/db"
)

// bare has no idempotency: Begin, the statements, Commit. It is the limit.
var bare = &Candidate{
	Name:      "bare",
	Title:     "bare transaction, no idempotency",
	KeyHeader: idempotencyKey,
	handler: func(env Env) (http.Handler, error) {
		return strictHandler(&bareShop{env.Pool}), nil
	},
}

// strictHandler serves the shop as oapi-codegen does by itself.
func strictHandler(shop api.StrictServerInterface) http.Handler {
	return api.Handler(api.NewStrictHandler(shop, nil))
}

type bareShop struct{ pool *pgxpool.Pool }

func (s *bareShop) PlaceOrder(ctx context.Context, request api.PlaceOrderRequestObject) (api.PlaceOrderResponseObject, error) {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback(ctx) }() // after Commit it does nothing
	response, err := placeOrder(ctx, tx, request)
	if err != nil {
		return nil, err
	}
	return response, tx.Commit(ctx)
}

func (s *bareShop) CreateReview(ctx context.Context, request api.CreateReviewRequestObject) (api.CreateReviewResponseObject, error) {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback(ctx) }() // after Commit it does nothing
	review, err := shop.CreateReview(ctx, db.New(tx), request.Body)
	if err != nil {
		return nil, err
	}
	return api.CreateReview201JSONResponse(review), tx.Commit(ctx)
}

// placeOrder answers the request with what it has done in tx.
func placeOrder(ctx context.Context, tx pgx.Tx, request api.PlaceOrderRequestObject) (api.PlaceOrderResponseObject, error) {
	order, err := shop.PlaceOrder(ctx, db.New(tx), request.Body)
	if errors.Is(err, shop.ErrOutOfStock) {
		return api.PlaceOrder409Response{}, nil
	}
	if err != nil {
		return nil, err
	}
	return api.PlaceOrder201JSONResponse(order), nil
}
