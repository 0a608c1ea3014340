//go:build conformance

package contract

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
	idem "github.com/idemgen/idemgen/runtime"
)

const prism = "../../../../internal/conformance/node_modules/.bin/prism"

// A validating proxy that knows nothing of us has no objection to any answer: to
// those of the runtime, of the shop, and to replays. Requests that the document
// refuses are told apart by it, and let through.
func TestPrism(t *testing.T) {
	t.Parallel()
	proxied := startPrism(t, api.Document)
	proxied.walk()
	for _, v := range proxied.of("response") {
		t.Error(v)
	}
	if refused := proxied.of("request"); len(refused) == 0 {
		t.Error("no request was refused, not even those without a key")
	}
	for _, v := range proxied.of("request") {
		if !v.bad {
			t.Errorf("a good request is refused: %s", v)
		}
	}
}

// The proxy is known to object: to a document that lies about the very same answers.
func TestPrismFindsLies(t *testing.T) {
	t.Parallel()
	text := string(api.Document)
	for _, lie := range []struct{ before, after string }{
		{"required: [title, status, detail, code]", "required: [title, status, detail, code, instance]"},
		{"key-reused, ", ""},
		{"created_at: {type: string, format: date-time}", "created_at: {type: integer}"},
	} {
		if !strings.Contains(text, lie.before) {
			t.Fatalf("%q isn't in the document", lie.before)
		}
		text = strings.ReplaceAll(text, lie.before, lie.after)
	}
	proxied := startPrism(t, []byte(text))
	proxied.post("k", pet).Want(t, http.StatusCreated)
	proxied.post("k", `{"name":"Max"}`).Want(t, http.StatusUnprocessableEntity)
	found := fmt.Sprint(proxied.of("response"))
	for _, field := range []string{"instance", "code", "created_at"} {
		if !strings.Contains(found, "'"+field+"'") && !strings.Contains(found, "body."+field) {
			t.Errorf("no objection to %s: %s", field, found)
		}
	}
}

// proxied is a petstore behind Prism.
type proxied struct {
	*store
	client *shoptest.Client
	t      testing.TB
	seen   []violation
}

// violation is an objection, as in the header that Prism adds to answers.
type violation struct {
	Location []string
	Severity string
	Message  string

	request string
	bad     bool // the request was meant to be
}

func (v violation) String() string {
	return fmt.Sprintf("%s: %s: %s", v.request, strings.Join(v.Location, "."), v.Message)
}

func (p *proxied) of(what string) []violation {
	return slices.DeleteFunc(slices.Clone(p.seen), func(v violation) bool { return v.Location[0] != what })
}

func startPrism(t *testing.T, document []byte) *proxied {
	t.Helper()
	p := &proxied{t: t}
	p.store = start(t, setup{config: idem.Config{StoreTimeout: time.Second}, createPet: p.createPet})
	file := filepath.Join(t.TempDir(), "openapi.yaml")
	if err := os.WriteFile(file, document, 0o600); err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	cmd := exec.CommandContext(t.Context(), prism, "proxy", file, p.store.url, "--port", port, "--cors=false")
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v; run make conformance, which installs it", err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	var said []string
	for lines := bufio.NewScanner(output); ; {
		if !lines.Scan() {
			t.Fatalf("Prism has ended: %s", strings.Join(said, "\n"))
		}
		if said = append(said, lines.Text()); strings.Contains(lines.Text(), "Prism is listening") {
			go func() {
				for lines.Scan() { // it must not be stopped by a full pipe
					_ = lines.Text()
				}
			}()
			break
		}
	}
	p.client = shoptest.NewClient(t, "http://127.0.0.1:"+port, shoptest.AcmeKey).Unchecked()
	return p
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// send notes what Prism has to say. An empty key isn't sent.
func (p *proxied) send(bad bool, method, path, key string, body any) shoptest.Response {
	p.t.Helper()
	header := http.Header{}
	if key != "" {
		header.Set(shoptest.KeyHeader, key)
	}
	r, err := p.client.Send(context.Background(), method, path, header, body)
	if err != nil {
		p.t.Fatal(err)
	}
	if text := r.Header.Get("Sl-Violations"); text != "" {
		var list []violation
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			p.t.Fatalf("%v: %s", err, text)
		}
		for _, v := range list {
			v.request, v.bad = fmt.Sprintf("%s %s: %d %s", method, path, r.Status, bytes.TrimSpace(r.Body)), bad
			p.seen = append(p.seen, v)
		}
	}
	return r
}

func (p *proxied) post(key, body string) shoptest.Response {
	p.t.Helper()
	return p.send(false, http.MethodPost, "/pets", key, body)
}

var errBroken = errors.New("broken")

// createPet is the shop's, but for pets that are slow or broken.
func (p *proxied) createPet(ctx context.Context, tx *idem.Tx, req api.CreatePetRequestObject) (api.CreatePetResponseObject, error) {
	switch req.Body.Name {
	case "Slow":
		time.Sleep(2 * time.Second)
	case "Broken":
		return nil, errBroken
	}
	return created(req.Body.Name), insertPet(ctx, tx, req.Body.Name)
}

// walk asks for every kind of answer.
func (p *proxied) walk() {
	const bad, good = true, false
	ask := func(bad bool, want int, method, path, key string, body any) shoptest.Response {
		p.t.Helper()
		return p.send(bad, method, path, key, body).Want(p.t, want)
	}
	problem := func(bad bool, want int, code, method, path, key string, body any) {
		p.t.Helper()
		p.send(bad, method, path, key, body).WantProblem(p.t, want, code)
	}
	replayed := func(want int, method, path, key string, body any) {
		p.t.Helper()
		if !ask(good, want, method, path, key, body).Replayed() {
			p.t.Errorf("%s %s: no replay", method, path)
		}
	}

	// Of the runtime.
	ask(good, 201, http.MethodPost, "/pets", "k", pet)
	replayed(201, http.MethodPost, "/pets", "k", pet)
	problem(good, 422, idem.CodeKeyReused, http.MethodPost, "/pets", "k", `{"name":"Max"}`)
	problem(bad, 400, idem.CodeKeyMissing, http.MethodPost, "/pets", "", pet)
	problem(bad, 400, idem.CodeKeyInvalid, http.MethodPost, "/pets", `"open`, pet)
	problem(bad, 400, idem.CodeRequestInvalid, http.MethodPost, "/pets", "k4", `{"name":4}`)
	problem(bad, 413, idem.CodeBodyTooLarge, http.MethodPost, "/pets", "k6", `{"name":"`+strings.Repeat("x", 1<<20)+`"}`)
	problem(good, 500, idem.CodeInternal, http.MethodPost, "/pets", "k7", `{"name":"Broken"}`)
	first := make(chan struct{})
	go func() {
		defer close(first)
		p.store.Do(http.MethodPost, "/pets", "k8", `{"name":"Slow"}`)
	}()
	time.Sleep(time.Second)
	problem(good, 409, idem.CodeInFlight, http.MethodPost, "/pets", "k8", `{"name":"Slow"}`)
	<-first
	replayed(201, http.MethodPost, "/pets", "k8", `{"name":"Slow"}`)

	// Of the shop.
	ask(good, 200, http.MethodGet, "/pets", "", nil)
	ask(good, 200, http.MethodGet, "/pets/1", "", nil)
	ask(good, 404, http.MethodGet, "/pets/1000", "", nil)
	ask(good, 200, http.MethodPatch, "/pets/1", "p", `{"tag":"dog"}`)
	ask(bad, 400, http.MethodPatch, "/pets/1", "p2", `{}`)
	ask(good, 204, http.MethodDelete, "/pets/1", "d", nil)
	replayed(204, http.MethodDelete, "/pets/1", "d", nil)
	ask(good, 404, http.MethodDelete, "/pets/1", "d2", nil)
	ask(good, 200, http.MethodPut, "/products/leash", "", `{"name":"Leash","price_cents":100,"stock":5}`)
	order := `{"sku":"leash","quantity":2}`
	ask(good, 201, http.MethodPost, "/orders", "o", order)
	replayed(201, http.MethodPost, "/orders", "o", order)
	ask(good, 404, http.MethodPost, "/orders", "o2", `{"sku":"none","quantity":2}`)
	ask(good, 409, http.MethodPost, "/orders", "o3", `{"sku":"leash","quantity":20}`)
	replayed(409, http.MethodPost, "/orders", "o3", `{"sku":"leash","quantity":20}`)
	ask(good, 200, http.MethodPost, "/orders/quote", "", order)
	const uuid = "3f2504e0-4f89-41d3-9a0c-0305e82c330"
	ask(bad, 400, http.MethodPost, "/orders/1/payments", "none", `{"card_token":"tok_visa"}`)
	ask(good, 402, http.MethodPost, "/orders/1/payments", uuid+"1", `{"card_token":"tok_declined"}`)
	ask(good, 201, http.MethodPost, "/orders/1/payments", uuid+"2", `{"card_token":"tok_visa"}`)
	ask(good, 409, http.MethodPost, "/orders/1/payments", uuid+"3", `{"card_token":"tok_visa"}`)
	ask(good, 201, http.MethodPost, "/payments/1/refunds", "", `{"amount_cents":50}`)
	ask(good, 409, http.MethodPost, "/orders/1/cancel", "c", nil)
	delivery := `{"supplier":"acme","note":"1","quantity":3}`
	ask(good, 201, http.MethodPost, "/products/leash/deliveries", "", delivery)
	replayed(201, http.MethodPost, "/products/leash/deliveries", "", delivery)
	ask(bad, 400, http.MethodPost, "/products/leash/deliveries", "", `{"supplier":"acme","quantity":3}`)
	message := url.Values{"email": {"a@example.com"}, "message": {"hello"}}
	ask(good, 202, http.MethodPost, "/contact", "m", message)
	replayed(202, http.MethodPost, "/contact", "m", message)

	p.store.pool.Close()
	problem(good, 503, idem.CodeStoreUnavailable, http.MethodPost, "/pets", "k9", pet)

	p.client = shoptest.NewClient(p.t, p.client.URL(), "").Unchecked()
	ask(bad, 401, http.MethodPost, "/pets", "k", pet)
}
