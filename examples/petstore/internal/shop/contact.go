package shop

import (
	"context"
	"fmt"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/internal/db"
	idem "github.com/idemgen/idemgen/runtime"
)

// SendContactMessage keeps a message for the people who run the shops.
func (s *Shop) SendContactMessage(ctx context.Context, tx *idem.Tx, request api.SendContactMessageRequestObject) (api.SendContactMessageResponseObject, error) {
	ticket, err := db.New(tx).CreateContactMessage(ctx, db.CreateContactMessageParams{
		Email:   string(request.Body.Email),
		Message: request.Body.Message,
	})
	if err != nil {
		return nil, fmt.Errorf("create contact message: %w", err)
	}
	return api.SendContactMessage202JSONResponse{Ticket: ticket}, nil
}
