// Package shoptest gives tests a shop of their own: the real handler on a fresh
// PostgreSQL database, spoken to over HTTP. Only tests import it.
package shoptest

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/examples/petstore/db/migrations"
	"github.com/idemgen/idemgen/examples/petstore/internal/app"
	"github.com/idemgen/idemgen/examples/petstore/internal/auth"
	"github.com/idemgen/idemgen/examples/petstore/internal/webhook"
	"github.com/idemgen/idemgen/pgtest"
)

// The tenants of every shop, and the API keys that are theirs.
const (
	Acme      = "acme"
	AcmeKey   = "key-of-acme"
	Globex    = "globex"
	GlobexKey = "key-of-globex"

	// APIKeys is both, as the service's API_KEYS has it.
	APIKeys = Acme + ":" + AcmeKey + "," + Globex + ":" + GlobexKey

	// WebhookSecret is the payment provider's.
	WebhookSecret = "whsec_c2hvcHRlc3Qtd2ViaG9vay1zZWNyZXQtMDEyMzQ1Njc="
)

// Shop is a running service. It is safe for concurrent use.
type Shop struct {
	*Client // acme's

	// URL is where it serves, DatabaseURL where its data is.
	URL, DatabaseURL string
	// Pool is the service's own.
	Pool *pgxpool.Pool

	t testing.TB
}

// Start makes a shop on a fresh database. Both go with the test.
func Start(t testing.TB) *Shop {
	t.Helper()
	url := pgtest.Database(t)
	pool := newPool(t, url)
	if err := migrations.Up(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	return serve(t, url, pool)
}

// Replica starts one more server on the shop's database, with a pool of its own.
func (s *Shop) Replica() *Shop {
	s.t.Helper()
	return serve(s.t, s.DatabaseURL, newPool(s.t, s.DatabaseURL))
}

// Globex is a client with the API key of the second tenant.
func (s *Shop) Globex() *Client { return s.As(GlobexKey) }

// As is a client with any API key; empty sends none.
func (s *Shop) As(apiKey string) *Client { return NewClient(s.t, s.URL, apiKey) }

func newPool(t testing.TB, url string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func serve(t testing.TB, url string, pool *pgxpool.Pool) *Shop {
	t.Helper()
	keys, err := auth.ParseKeys(APIKeys)
	if err != nil {
		t.Fatal(err)
	}
	webhooks, err := webhook.NewVerifier(WebhookSecret)
	if err != nil {
		t.Fatal(err)
	}
	handler, err := app.NewHandler(pool, keys, webhooks)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return &Shop{Client: NewClient(t, server.URL, AcmeKey), URL: server.URL, DatabaseURL: url, Pool: pool, t: t}
}

// Stock puts a product on acme's shelf, at 250 cents a piece.
func (s *Shop) Stock(sku string, pieces int) {
	s.t.Helper()
	s.Do(http.MethodPut, "/products/"+sku, "", map[string]any{"name": sku, "price_cents": 250, "stock": pieces}).
		Want(s.t, http.StatusOK)
}
