package generate

import (
	"context"

	"github.com/idemgen/idemgen/internal/diag"
)

// RunWith is Run with other steps of the record table's schema.
func RunWith(ctx context.Context, configPath string, steps []string) (*Generated, *diag.Set, error) {
	return start(ctx, configPath, steps)
}
