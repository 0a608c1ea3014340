package candidates

import (
	"context"
	"net/http"

	"github.com/idemgen/idemgen/bench/internal/shop"
	"github.com/idemgen/idemgen/bench/internal/shop/api"
	"github.com/idemgen/idemgen/bench/internal/shop/db"
)

// autocommit is bare, but a review is its one INSERT and nothing around it.
var autocommit = &Candidate{
	Name:      "autocommit",
	Title:     "bare statement, no transaction, no idempotency",
	KeyHeader: idempotencyKey,
	handler: func(env Env) (http.Handler, error) {
		return strictHandler(&autocommitShop{bareShop{env.Pool}}), nil
	},
}

type autocommitShop struct{ bareShop }

func (s *autocommitShop) CreateReview(ctx context.Context, request api.CreateReviewRequestObject) (api.CreateReviewResponseObject, error) {
	review, err := shop.CreateReview(ctx, db.New(s.pool), request.Body)
	if err != nil {
		return nil, err
	}
	return api.CreateReview201JSONResponse(review), nil
}
