package shop

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/internal/auth"
	"github.com/idemgen/idemgen/examples/petstore/internal/db"
)

// GetProduct finds one product.
func (s *Shop) GetProduct(ctx context.Context, request api.GetProductRequestObject) (api.GetProductResponseObject, error) {
	product, err := db.New(s.pool).GetProduct(ctx, db.GetProductParams{Tenant: auth.Tenant(ctx), Sku: request.Sku})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return api.GetProduct404ApplicationProblemPlusJSONResponse(noSuch("product")), nil
	case err != nil:
		return nil, fmt.Errorf("get product: %w", err)
	}
	return api.GetProduct200JSONResponse(toProduct(product)), nil
}

// ListProducts lists a page of products.
func (s *Shop) ListProducts(ctx context.Context, request api.ListProductsRequestObject) (api.ListProductsResponseObject, error) {
	products, err := db.New(s.pool).ListProducts(ctx, db.ListProductsParams{
		Tenant:   auth.Tenant(ctx),
		After:    or(request.Params.After, ""),
		PageSize: pageSize(request.Params.Limit),
	})
	if err != nil {
		return nil, fmt.Errorf("list products: %w", err)
	}
	return api.ListProducts200JSONResponse(each(products, toProduct)), nil
}

// PutProduct makes or changes a product. It is one statement, which needs no
// transaction of ours, and done twice it does the same as done once.
func (s *Shop) PutProduct(ctx context.Context, request api.PutProductRequestObject) (api.PutProductResponseObject, error) {
	product, err := db.New(s.pool).PutProduct(ctx, db.PutProductParams{
		Tenant:     auth.Tenant(ctx),
		Sku:        request.Sku,
		Name:       request.Body.Name,
		PriceCents: request.Body.PriceCents,
		Stock:      request.Body.Stock,
	})
	if err != nil {
		return nil, fmt.Errorf("put product: %w", err)
	}
	return api.PutProduct200JSONResponse(toProduct(product)), nil
}

func toProduct(p db.Product) api.Product {
	return api.Product{Sku: p.Sku, Name: p.Name, PriceCents: p.PriceCents, Stock: p.Stock}
}
