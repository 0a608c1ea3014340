package app_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/examples/petstore/internal/app"
	"github.com/idemgen/idemgen/examples/petstore/internal/auth"
	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
	"github.com/idemgen/idemgen/examples/petstore/internal/webhook"
)

// Every operation that the spec secures answers 401 without a known key, also
// those that nobody has written yet.
func TestSecurityIsAsInTheSpec(t *testing.T) {
	t.Parallel()
	spec, err := openapi3.NewLoader().LoadFromFile("../../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	shop := shoptest.Start(t)
	placeholders := strings.NewReplacer("{petId}", "1", "{orderId}", "1", "{paymentId}", "1", "{sku}", "catnip")
	for path, item := range spec.Paths.Map() {
		for method, op := range item.Operations() {
			secured := op.Security == nil || len(*op.Security) > 0
			signed := op.OperationID == "receivePaymentEvent" // has a 401 of its own
			for _, apiKey := range []string{"", "unknown"} {
				response := shop.As(apiKey).Do(method, placeholders.Replace(path), "k1", nil)
				switch {
				case secured:
					response.WantProblem(t, http.StatusUnauthorized, "unauthenticated")
				case signed:
					response.WantProblem(t, http.StatusUnauthorized, "signature-invalid")
				case response.Status == http.StatusUnauthorized:
					t.Errorf("%s answers 401, but is public", op.OperationID)
				}
			}
		}
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	shop.As("").Unchecked().Do(http.MethodGet, "/healthz", "", nil).Want(t, http.StatusOK)

	down := httptest.NewServer(handler(t, "postgres://127.0.0.1:1/nobody-listens"))
	t.Cleanup(down.Close)
	shoptest.NewClient(t, down.URL, "").Unchecked().Do(http.MethodGet, "/healthz", "", nil).Want(t, http.StatusServiceUnavailable)
}

func TestLargeBodies(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	large := `{"name": "` + strings.Repeat("x", 2<<20) + `"}`
	shop.Do(http.MethodPost, "/pets", "k1", large).WantProblem(t, http.StatusRequestEntityTooLarge, "body-too-large")
	shop.Do(http.MethodPost, "/pets/search", "", large).WantProblem(t, http.StatusRequestEntityTooLarge, "body-too-large")
}

func handler(t *testing.T, databaseURL string) http.Handler {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	keys, err := auth.ParseKeys(shoptest.APIKeys)
	if err != nil {
		t.Fatal(err)
	}
	webhooks, err := webhook.NewVerifier(shoptest.WebhookSecret)
	if err != nil {
		t.Fatal(err)
	}
	h, err := app.NewHandler(pool, keys, webhooks)
	if err != nil {
		t.Fatal(err)
	}
	return h
}
