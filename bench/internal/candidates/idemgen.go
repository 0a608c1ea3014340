package candidates

import (
	"context"
	"net/http"

	"github.com/idemgen/idemgen/bench/internal/shop/api"
	"github.com/idemgen/idemgen/bench/internal/shop/db"
	idem "github.com/idemgen/idemgen/runtime"
)

// idemgen is what this repository generates from shop/openapi.yaml.
var idemgen = &Candidate{
	Name:  "idemgen",
	Title: "idemgen",
	Table: "idempotency_records",
	Copies: `
		INSERT INTO idempotency_records (id, expires_at, status, fingerprint, header, body)
		SELECT gen_random_uuid(), expires_at + n * interval '1 ms', status, fingerprint, header, body
		FROM idempotency_records, generate_series(1, $1::int) n`,
	KeyHeader: idempotencyKey,
	handler: func(env Env) (http.Handler, error) {
		return api.NewHandler(env.Pool, idemgenShop{}, idem.Config{
			Principal: func(r *http.Request) (string, error) { return user(r), nil },
		})
	},
}

type idemgenShop struct{}

func (idemgenShop) PlaceOrder(ctx context.Context, tx *idem.Tx, request api.PlaceOrderRequestObject) (api.PlaceOrderResponseObject, error) {
	return placeOrder(ctx, tx, request)
}

// CreateReview is one statement with its record: x-idempotent names the query.
func (idemgenShop) CreateReview(_ context.Context, request api.CreateReviewRequestObject) (api.CreateReviewWrite, error) {
	return api.CreateReviewWrite{
		Params: db.CreateReviewParams{Sku: request.Body.Sku, Stars: request.Body.Stars, Text: request.Body.Text},
	}, nil
}
