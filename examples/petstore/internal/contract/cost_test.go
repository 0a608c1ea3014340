package contract

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/internal/auth"
	"github.com/idemgen/idemgen/examples/petstore/internal/db"
	"github.com/idemgen/idemgen/examples/petstore/internal/shop"
	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
	idem "github.com/idemgen/idemgen/runtime"
)

// What a request costs in the process, without net/http's server: the same
// pet, in a bare transaction, under a fresh key, and replayed.
func BenchmarkRequest(b *testing.B) {
	pool := newPool(b, migrated(b), 0)
	keys, err := auth.ParseKeys(shoptest.APIKeys)
	if err != nil {
		b.Fatal(err)
	}
	middlewares := []api.MiddlewareFunc{keys.Middleware()}
	validate := []api.StrictMiddlewareFunc{shop.Validate}
	idempotent, err := api.NewHandlerWithOptions(pool, shop.New(pool), idem.Config{Principal: auth.Principal, Observer: quiet{}},
		api.HandlerOptions{Middlewares: middlewares, StrictMiddlewares: validate})
	if err != nil {
		b.Fatal(err)
	}
	bare := api.HandlerWithOptions(api.NewStrictHandler(&bareServer{pool: pool}, validate), api.StdHTTPServerOptions{Middlewares: middlewares})
	for _, c := range []struct {
		name    string
		handler http.Handler
		fresh   bool
	}{{"bare", bare, true}, {"fresh", idempotent, true}, {"replay", idempotent, false}} {
		n := 0
		post := func(b *testing.B) {
			if c.fresh || n == 0 {
				n++
			}
			r := httptest.NewRequest(http.MethodPost, "/pets", strings.NewReader(pet))
			ctx, cancel := context.WithCancel(b.Context()) // as net/http's server does
			defer cancel()
			r = r.WithContext(ctx)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("X-API-Key", shoptest.AcmeKey)
			r.Header.Set("Idempotency-Key", c.name+strconv.Itoa(n))
			w := httptest.NewRecorder()
			c.handler.ServeHTTP(w, r)
			if w.Code != http.StatusCreated {
				b.Fatalf("%d: %s", w.Code, w.Body)
			}
		}
		b.Run(c.name, func(b *testing.B) {
			post(b) // prepares the statements
			b.ReportAllocs()
			for b.Loop() {
				post(b)
			}
		})
	}
}

// bareServer creates pets in a transaction, with no idempotency.
type bareServer struct {
	api.StrictServerInterface
	pool interface {
		Begin(ctx context.Context) (pgx.Tx, error)
	}
}

func (s *bareServer) CreatePet(ctx context.Context, request api.CreatePetRequestObject) (api.CreatePetResponseObject, error) {
	var pet db.Pet
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) (err error) {
		pet, err = db.New(tx).CreatePet(ctx, db.CreatePetParams{Tenant: auth.Tenant(ctx), Name: request.Body.Name, Tag: request.Body.Tag, PriceCents: request.Body.PriceCents})
		return err
	})
	return api.CreatePet201JSONResponse{
		Body:    api.Pet{Id: pet.ID, Name: pet.Name, Tag: pet.Tag, PriceCents: pet.PriceCents, CreatedAt: pet.CreatedAt},
		Headers: api.CreatePet201ResponseHeaders{Location: "/pets/" + strconv.FormatInt(pet.ID, 10)},
	}, err
}
