package contract

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/examples/petstore/internal/idemdb"
	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
	idem "github.com/idemgen/idemgen/runtime"
)

// engineServer serves one operation whose contract is the test's, on the
// petstore's database and store: what the petstore's spec doesn't use is
// tested here.
type engineServer struct {
	client *shoptest.Client
	pool   *pgxpool.Pool
	t      testing.TB
}

func newEngineServer(t testing.TB, url string, cfg idem.Config, wait time.Duration, handler idem.Handler) *engineServer {
	t.Helper()
	return serveOperation(t, url, cfg, &idem.Operation{Name: "op", Scope: idem.Scope{Public: true}, TTL: time.Hour, Wait: wait}, handler)
}

func serveOperation(t testing.TB, url string, cfg idem.Config, op *idem.Operation, handler idem.Handler) *engineServer {
	t.Helper()
	if cfg.Observer == nil {
		cfg.Observer = quiet{}
	}
	pool := newPool(t, url, 0)
	engine, err := idem.New(pool, idemdb.NewStore(), cfg, op)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /op/{id}", func(w http.ResponseWriter, r *http.Request) {
		r, ok := engine.Capture(w, r, op)
		if !ok {
			return
		}
		answer, err := engine.Run(r.Context(), op, idem.RequestFrom(r.Context()), handler)
		if err != nil {
			engine.WriteError(w, r, err)
			return
		}
		if err := answer.Write(w); err != nil {
			t.Error(err)
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return &engineServer{client: shoptest.NewClient(t, server.URL, "").Unchecked(), pool: pool, t: t}
}

// post sends text, as JSON.
func (s *engineServer) post(key, text string) shoptest.Response {
	s.t.Helper()
	return s.client.Do(http.MethodPost, "/op/1", key, strconv.Quote(text))
}

// text is a response of some text.
func text(body string) idem.Response {
	return func(w http.ResponseWriter) error {
		w.Header().Set("Content-Type", "text/plain")
		_, err := io.WriteString(w, body)
		return err
	}
}
