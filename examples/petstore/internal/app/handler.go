package app

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/internal/auth"
	"github.com/idemgen/idemgen/examples/petstore/internal/shop"
	"github.com/idemgen/idemgen/examples/petstore/internal/webhook"
	idem "github.com/idemgen/idemgen/runtime"
)

const (
	maxBody       = 1 << 20 // bytes
	healthTimeout = 2 * time.Second

	// paymentWebhook is open to callers without an API key: they sign.
	paymentWebhook = "POST /webhooks/payments"
)

// NewHandler serves the API and GET /healthz.
func NewHandler(pool *pgxpool.Pool, keys *auth.Keys, webhooks *webhook.Verifier) (http.Handler, error) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { health(w, r, pool) })

	cfg := idem.Config{
		Principal:      auth.Principal,
		HandlerTimeout: handlerTimeout,
		MaxRequestBody: maxBody,
	}
	handler, err := api.NewHandlerWithOptions(pool, shop.New(pool), cfg, api.HandlerOptions{
		Mux: mux,
		Middlewares: []api.MiddlewareFunc{
			keys.Middleware("POST /contact", paymentWebhook),
			webhooks.Middleware(paymentWebhook),
		},
		StrictMiddlewares: []api.StrictMiddlewareFunc{shop.Validate},
	})
	if err != nil {
		return nil, err
	}
	return http.MaxBytesHandler(handler, maxBody), nil // for the operations that aren't idempotent
}

// health answers 200 if the service can do its work, which takes the database.
func health(w http.ResponseWriter, r *http.Request, pool *pgxpool.Pool) {
	ctx, cancel := context.WithTimeout(r.Context(), healthTimeout)
	defer cancel()
	if err := pool.Ping(ctx); err != nil {
		slog.WarnContext(ctx, "the database doesn't answer", "error", err)
		http.Error(w, "the database doesn't answer", http.StatusServiceUnavailable)
		return
	}
	_, _ = io.WriteString(w, "ok\n") // whoever asked is gone if it fails
}
