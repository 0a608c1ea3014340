package shop

import (
	"context"
	"errors"
	"net/http"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/internal/auth"
	"github.com/idemgen/idemgen/examples/petstore/internal/db"
)

// ReviewProduct publishes a review. The query is all of its work.
func (*Shop) ReviewProduct(ctx context.Context, request api.ReviewProductRequestObject) (api.ReviewProductWrite, error) {
	return api.ReviewProductWrite{
		Params: db.CreateReviewParams{
			Tenant: auth.Tenant(ctx),
			Sku:    request.Sku,
			Author: request.Body.Author,
			Stars:  request.Body.Stars,
			Text:   request.Body.Text,
		},
		Refused: refusedReview,
	}, nil
}

func refusedReview(err error) (api.ReviewProductResponseObject, error) {
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		switch pgErr.ConstraintName {
		case "reviews_product_fkey":
			return api.ReviewProduct404ApplicationProblemPlusJSONResponse(noSuch("product")), nil
		case "reviews_author_key":
			return api.ReviewProduct409ApplicationProblemPlusJSONResponse(
				problem(http.StatusConflict, "already-reviewed", "this author has reviewed the product")), nil
		}
	}
	return nil, err
}
