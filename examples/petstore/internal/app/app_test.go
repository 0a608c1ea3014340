package app_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/examples/petstore/internal/app"
	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
	"github.com/idemgen/idemgen/examples/petstore/internal/webhook"
	"github.com/idemgen/idemgen/pgtest"
)

func TestMain(m *testing.M) { shoptest.Main(m) }

// endsWithin bounds how long a process takes to end, on a slow machine.
const endsWithin = 20 * time.Second

func TestReplicasMayStartAtOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	const replicas = 3
	processes := make([]*shoptest.Process, replicas)
	var group sync.WaitGroup
	for i := range replicas {
		group.Go(func() { processes[i] = shoptest.Exec(t, "DATABASE_URL="+url) })
	}
	group.Wait()
	if t.Failed() { // in one of the goroutines
		t.FailNow()
	}

	var first shoptest.Response
	for i, process := range processes {
		response := process.Client().Do(http.MethodPost, "/pets", "k1", `{"name": "Rex"}`).Want(t, http.StatusCreated)
		if i == 0 {
			first = response
		} else if string(response.Body) != string(first.Body) || !response.Replayed() {
			t.Errorf("replica %d made a pet of its own: %s, want %s", i, response.Body, first.Body)
		}
	}
	for _, process := range processes {
		if err := process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := process.Wait(endsWithin); err != nil {
			t.Errorf("%v; stderr: %s", err, process.Stderr())
		}
	}
}

// A request that is being worked on when SIGTERM comes is answered, while new
// connections aren't taken any more.
func TestSIGTERMFinishesRequests(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	process := shoptest.Exec(t, "DATABASE_URL="+url)
	client := process.Client()
	client.Do(http.MethodPut, "/products/catnip", "", `{"name": "Catnip", "price_cents": 250, "stock": 1}`).Want(t, http.StatusOK)

	ctx := t.Context()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	lock, err := conn.Begin(ctx)
	if err == nil {
		_, err = lock.Exec(ctx, "SELECT FROM products FOR UPDATE")
	}
	if err != nil {
		t.Fatal(err)
	}
	answer := make(chan shoptest.Response, 1)
	go func() { answer <- client.Do(http.MethodPost, "/orders", "k1", `{"sku": "catnip", "quantity": 1}`) }()
	waitUntil(t, "the order waits for the lock", func() bool {
		var waiting bool
		err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)").Scan(&waiting)
		return err == nil && waiting
	})

	if err := process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "no connections are taken", func() bool {
		c, err := net.Dial("tcp", strings.TrimPrefix(process.URL, "http://"))
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	})
	if err := lock.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	if got := <-answer; got.Status != http.StatusCreated {
		t.Errorf("the order got %d %s, want 201", got.Status, got.Body)
	}
	if err := process.Wait(endsWithin); err != nil {
		t.Errorf("%v; stderr: %s", err, process.Stderr())
	}
}

func TestExpiredRecordsAreCleanedUp(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	shop.Do(http.MethodPost, "/pets", "k1", `{"name": "Rex"}`).Want(t, http.StatusCreated)
	shop.Do(http.MethodPost, "/pets", "k2", `{"name": "Max"}`).Want(t, http.StatusCreated)
	const expire = `UPDATE idempotency_records SET expires_at = now()
		WHERE id = (SELECT id FROM idempotency_records LIMIT 1)`
	if _, err := shop.Pool.Exec(t.Context(), expire); err != nil {
		t.Fatal(err)
	}
	shoptest.Exec(t, "DATABASE_URL="+shop.DatabaseURL)
	waitUntil(t, "one record is left", func() bool {
		var left int
		err := shop.Pool.QueryRow(t.Context(), "SELECT count(*) FROM idempotency_records").Scan(&left)
		return err == nil && left == 1
	})
}

func TestRunReports(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	url := pgtest.Database(t)
	for want, cfg := range map[string]app.Config{
		"API_KEYS":       {APIKeys: "s3cret", DatabaseURL: url, WebhookSecret: shoptest.WebhookSecret},
		"WEBHOOK_SECRET": {APIKeys: "acme:s3cret", DatabaseURL: url, WebhookSecret: "whsec_s3cret!"},
		"DATABASE_URL":   {APIKeys: "acme:s3cret", DatabaseURL: "postgres://:s3cret@:port", WebhookSecret: shoptest.WebhookSecret},
		"migrate":        {APIKeys: "acme:s3cret", DatabaseURL: "postgres://u:s3cret@127.0.0.1:1/nobody-listens", WebhookSecret: shoptest.WebhookSecret},
		"ADDR":           {APIKeys: "acme:s3cret", DatabaseURL: url, Addr: taken.Addr().String(), WebhookSecret: shoptest.WebhookSecret},
	} {
		err := app.Run(t.Context(), cfg, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("error %v, want one of %s without secrets", err, want)
		}
	}
}

func TestConfigFromEnv(t *testing.T) {
	t.Parallel()
	env := map[string]string{}
	getenv := func(name string) string { return env[name] }
	got := app.ConfigFromEnv(getenv)
	if _, err := webhook.NewVerifier(got.WebhookSecret); err != nil {
		t.Errorf("the default WEBHOOK_SECRET: %v", err)
	}
	got.WebhookSecret = ""
	if want := (app.Config{Addr: "127.0.0.1:8080", APIKeys: "demo:demo"}); got != want {
		t.Errorf("with nothing set: %+v, want %+v", got, want)
	}
	env["DATABASE_URL"], env["ADDR"], env["API_KEYS"] = "postgres://db/shop", ":80", "acme:k"
	if got, want := app.ConfigFromEnv(getenv), (app.Config{DatabaseURL: "postgres://db/shop", Addr: ":80", APIKeys: "acme:k"}); got != want {
		t.Errorf("with a database, and no webhook secret: %+v, want %+v", got, want)
	}
	env["WEBHOOK_SECRET"] = "whsec_s"
	if got := app.ConfigFromEnv(getenv).WebhookSecret; got != "whsec_s" {
		t.Errorf("webhook secret %q", got)
	}
}

func waitUntil(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(endsWithin); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}
