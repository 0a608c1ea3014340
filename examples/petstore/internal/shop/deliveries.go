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

// ReceiveDelivery puts a delivery on the shelf. Two at once for one product
// meet in the isolation level: one of them is run again.
func (s *Shop) ReceiveDelivery(ctx context.Context, tx *idem.Tx, request api.ReceiveDeliveryRequestObject) (api.ReceiveDeliveryResponseObject, error) {
	q, tenant, body := db.New(tx), auth.Tenant(ctx), request.Body
	if _, err := q.GetProduct(ctx, db.GetProductParams{Tenant: tenant, Sku: request.Sku}); errors.Is(err, pgx.ErrNoRows) {
		return api.ReceiveDelivery404ApplicationProblemPlusJSONResponse(noSuch("product")), nil
	} else if err != nil {
		return nil, fmt.Errorf("get product: %w", err)
	}
	product, err := q.AddStock(ctx, db.AddStockParams{Tenant: tenant, Sku: request.Sku, Quantity: body.Quantity})
	accepted := err == nil
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("add stock: %w", err)
	}
	err = q.CreateDelivery(ctx, db.CreateDeliveryParams{
		Tenant:   tenant,
		Sku:      request.Sku,
		Supplier: body.Supplier,
		Note:     body.Note,
		Quantity: body.Quantity,
		Accepted: accepted,
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("create delivery: %w", err)
	case !accepted:
		return api.ReceiveDelivery409ApplicationProblemPlusJSONResponse(
			problem(http.StatusConflict, "no-room", "there is no room for so many")), nil
	}
	return api.ReceiveDelivery201JSONResponse(toProduct(product)), nil
}
