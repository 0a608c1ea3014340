// Package contract tries to break what idemgen promises, on the real petstore
// and a real PostgreSQL: concurrent duplicates, kill -9 at every step, lost
// answers, other tenants, failing handlers.
package contract

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/db/migrations"
	"github.com/idemgen/idemgen/examples/petstore/internal/auth"
	"github.com/idemgen/idemgen/examples/petstore/internal/shop"
	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
	"github.com/idemgen/idemgen/pgtest"
	idem "github.com/idemgen/idemgen/runtime"
)

// setup is a petstore whose configuration and CreatePet are the test's.
type setup struct {
	// url is the database's; by default a fresh one.
	url string
	// config may leave out the principal, which is the API key's tenant.
	config idem.Config
	// createPet replaces the shop's own.
	createPet createPet
	// handlers and around, when set, are put around the shop and its server.
	handlers func(api.Handlers) api.Handlers
	around   func(http.Handler) http.Handler
	// poolSize is the most connections there are; by default pgxpool's.
	poolSize int32
	// configure, when set, changes the server's pool.
	configure func(*pgxpool.Config)
}

type createPet func(ctx context.Context, tx *idem.Tx, req api.CreatePetRequestObject) (api.CreatePetResponseObject, error)

// quiet is an Observer that isn't.
type quiet struct{}

func (quiet) Observe(context.Context, idem.Event) {}

// store is a running setup.
type store struct {
	*shoptest.Client // acme's
	// pool is the server's own; db is another, to look from outside.
	pool, db *pgxpool.Pool
	t        testing.TB
	url      string
}

func start(t testing.TB, s setup) *store {
	t.Helper()
	direct := s.url
	if s.url == "" {
		s.url = migrated(t)
		direct = s.url
	}
	pool := newPool(t, s.url, s.poolSize, s.configure)
	keys, err := auth.ParseKeys(shoptest.APIKeys)
	if err != nil {
		t.Fatal(err)
	}
	s.config.Principal = auth.Principal
	if s.config.Observer == nil {
		s.config.Observer = quiet{}
	}
	var business api.Handlers = &handlers{shop.New(pool), s.createPet}
	if s.handlers != nil {
		business = s.handlers(business)
	}
	handler, err := api.NewHandlerWithOptions(pool, business, s.config, api.HandlerOptions{
		Middlewares:       []api.MiddlewareFunc{keys.Middleware("POST /contact")},
		StrictMiddlewares: []api.StrictMiddlewareFunc{shop.Validate},
	})
	if err != nil {
		t.Fatal(err)
	}
	handler = recoverer(handler)
	if s.around != nil {
		handler = s.around(handler)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return &store{
		Client: shoptest.NewClient(t, server.URL, shoptest.AcmeKey),
		pool:   pool, db: newPool(t, direct, 0), t: t, url: server.URL,
	}
}

// as is a client with another API key.
func (s *store) as(apiKey string) *shoptest.Client { return shoptest.NewClient(s.t, s.url, apiKey) }

// migrated is a fresh database with the shop's tables, reached in the way that
// CONTRACT_VIA says.
func migrated(t testing.TB) string {
	t.Helper()
	return prepared(t, "")
}

// prepared is migrated with some SQL on top.
func prepared(t testing.TB, sql string) string {
	t.Helper()
	url := pgtest.Database(t)
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if err := migrations.Up(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	return via(t, pool, url)
}

func newPool(t testing.TB, url string, size int32, configure ...func(*pgxpool.Config)) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	if size > 0 {
		config.MaxConns = size
	}
	for _, configure := range configure {
		if configure != nil {
			configure(config)
		}
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// recoverer answers a panic with 500, as a service's own middleware would.
func recoverer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil {
				idem.NewProblem(http.StatusInternalServerError, idem.CodeInternal, "recovered").Write(w)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

type handlers struct {
	*shop.Shop
	createPet createPet
}

func (h *handlers) CreatePet(ctx context.Context, tx *idem.Tx, req api.CreatePetRequestObject) (api.CreatePetResponseObject, error) {
	if h.createPet != nil {
		return h.createPet(ctx, tx, req)
	}
	return h.Shop.CreatePet(ctx, tx, req)
}

// insertPet writes a pet as the shop does.
func insertPet(ctx context.Context, tx pgx.Tx, name string) error {
	_, err := tx.Exec(ctx, "INSERT INTO pets (tenant, name) VALUES ($1, $2)", shoptest.Acme, name)
	return err
}

// created is some 201.
func created(name string) api.CreatePetResponseObject {
	return api.CreatePet201JSONResponse{Body: api.Pet{Id: 1, Name: name}, Headers: api.CreatePet201ResponseHeaders{Location: "/pets/1"}}
}

// count runs a query that gives one number.
func (s *store) count(query string, args ...any) int {
	s.t.Helper()
	var n int
	if err := s.db.QueryRow(context.Background(), query, args...).Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *store) wantRows(pets, records int) {
	s.t.Helper()
	if got := s.count("SELECT count(*) FROM pets"); got != pets {
		s.t.Errorf("%d pets, want %d", got, pets)
	}
	if got := s.count("SELECT count(*) FROM idempotency_records"); got != records {
		s.t.Errorf("%d records, want %d", got, records)
	}
}

const pet = `{"name":"Rex"}`

func (s *store) post(key string) shoptest.Response {
	s.t.Helper()
	return s.Do(http.MethodPost, "/pets", key, pet)
}
