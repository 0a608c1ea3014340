package contract

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
	idem "github.com/idemgen/idemgen/runtime"
)

func TestReplayIsByteIdentical(t *testing.T) {
	t.Parallel()
	s := start(t, setup{})
	for _, request := range []struct {
		method, path string
		body         any
		status       int
	}{
		{http.MethodPost, "/pets", pet, http.StatusCreated},
		{http.MethodPatch, "/pets/1", `{"name":"Max"}`, http.StatusOK},
		{http.MethodDelete, "/pets/1", nil, http.StatusNoContent},
		{http.MethodDelete, "/pets/77", nil, http.StatusNotFound},
		{http.MethodPost, "/contact", url.Values{"email": {"a@example.com"}, "message": {"hi"}}, http.StatusAccepted},
	} {
		key := "key-of-" + request.method + request.path
		first := s.Do(request.method, request.path, key, request.body).Want(t, request.status)
		for range 2 {
			again := s.Do(request.method, request.path, key, request.body).Want(t, request.status)
			if first.Replayed() || !again.Replayed() {
				t.Errorf("%s %s: Idempotency-Replayed must be on replays, and on them only", request.method, request.path)
			}
			again.Header.Del("Idempotency-Replayed")
			again.Header.Set("Date", first.Header.Get("Date"))
			if !bytes.Equal(first.Body, again.Body) || !sameHeader(first.Header, again.Header) {
				t.Errorf("%s %s: first %v %s, then %v %s", request.method, request.path, first.Header, first.Body, again.Header, again.Body)
			}
		}
	}
}

func sameHeader(a, b http.Header) bool {
	if len(a) != len(b) {
		return false
	}
	for name := range a {
		if strings.Join(a[name], "\n") != strings.Join(b[name], "\n") {
			return false
		}
	}
	return true
}

func TestKeySyntax(t *testing.T) {
	t.Parallel()
	s := start(t, setup{})
	send := func(values ...string) shoptest.Response {
		header := http.Header{}
		for _, value := range values {
			header.Add(shoptest.KeyHeader, value)
		}
		r, err := s.Send(t.Context(), http.MethodPost, "/pets", header, pet)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for key, spellings := range map[string][]string{`k-1`: {`k-1`, `"k-1"`}, `a"b\c`: {`a"b\c`, `"a\"b\\c"`}} {
		first := send(key).Want(t, http.StatusCreated)
		for _, spelling := range spellings {
			if again := send(spelling).Want(t, http.StatusCreated); !again.Replayed() || !bytes.Equal(first.Body, again.Body) {
				t.Errorf("%s isn't the same key as %s", spelling, key)
			}
		}
	}
	send().WantProblem(t, http.StatusBadRequest, idem.CodeKeyMissing)
	for _, values := range [][]string{
		{""}, {`""`}, {`"open`}, {`"a"b`}, {`"a\b"`}, {"\u00e9"}, {strings.Repeat("x", 256)}, {"a", "a"}, {"a", "b"}, {`"a";p=1`},
	} {
		send(values...).WantProblem(t, http.StatusBadRequest, idem.CodeKeyInvalid)
	}
	send(strings.Repeat("x", 255)).Want(t, http.StatusCreated)
	s.wantRows(3, 3)
}

func TestKeyFormatIsChecked(t *testing.T) {
	t.Parallel()
	s := start(t, setup{})
	s.Do(http.MethodPost, "/orders/1/payments", "not-a-uuid", `{"card_token":"tok_visa"}`).
		WantProblem(t, http.StatusBadRequest, idem.CodeKeyInvalid)
}

func TestAnotherRequestWithTheSameKey(t *testing.T) {
	t.Parallel()
	s := start(t, setup{})
	first := s.post("k").Want(t, http.StatusCreated)
	for _, body := range []string{`{"name":"Max"}`, `{"name":"Rex","unknown":1}`, `{"name":"Rex","tag":null}`} {
		s.Do(http.MethodPost, "/pets", "k", body).WantProblem(t, http.StatusUnprocessableEntity, idem.CodeKeyReused)
	}
	if again := s.Do(http.MethodPost, "/pets", "k", ` { "name" : "R\u0065x" } `).Want(t, http.StatusCreated); !bytes.Equal(first.Body, again.Body) {
		t.Errorf("another spelling of the same JSON got %s", again.Body)
	}
	s.wantRows(1, 1)

	// Path parameters count too, and keys of two operations don't meet.
	s.Do(http.MethodPatch, "/pets/1", "k", pet).Want(t, http.StatusOK)
	s.Do(http.MethodPatch, "/pets/2", "k", pet).WantProblem(t, http.StatusUnprocessableEntity, idem.CodeKeyReused)

	// The order of a form's fields doesn't.
	contact := func(body string) shoptest.Response {
		header := http.Header{shoptest.KeyHeader: {"k"}, "Content-Type": {"application/x-www-form-urlencoded; charset=utf-8"}}
		r, err := s.Send(t.Context(), http.MethodPost, "/contact", header, body)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	contact("email=a%40example.com&message=hi").Want(t, http.StatusAccepted)
	if !contact("message=%68i&email=a@example.com").Want(t, http.StatusAccepted).Replayed() {
		t.Error("the same form in another order wasn't replayed")
	}
	r, err := s.Send(t.Context(), http.MethodPost, "/contact?message=other",
		http.Header{shoptest.KeyHeader: {"k"}, "Content-Type": {"application/x-www-form-urlencoded"}}, "email=a%40example.com&message=hi")
	if err != nil {
		t.Fatal(err)
	}
	r.WantProblem(t, http.StatusUnprocessableEntity, idem.CodeKeyReused) // a form's decoder sees the query too
	contact("email=a%40example.com&message=ho").WantProblem(t, http.StatusUnprocessableEntity, idem.CodeKeyReused)
}

func TestBadBodies(t *testing.T) {
	t.Parallel()
	s := start(t, setup{config: idem.Config{MaxRequestBody: 100}})
	s.Do(http.MethodPost, "/pets", "k", `{"name":"a","name":"b"}`).WantProblem(t, http.StatusBadRequest, idem.CodeBodyInvalid)
	s.Do(http.MethodPost, "/pets", "k", `{"name":"a"} {"name":"b"}`).WantProblem(t, http.StatusBadRequest, idem.CodeBodyInvalid)
	s.Do(http.MethodPost, "/pets", "k", `{"name":`).WantProblem(t, http.StatusBadRequest, idem.CodeBodyInvalid)
	s.Do(http.MethodPost, "/pets", "k", `{"name":1}`).WantProblem(t, http.StatusBadRequest, idem.CodeRequestInvalid)
	s.Do(http.MethodPost, "/pets", "k", `{"name":"`+strings.Repeat("x", 100)+`"}`).
		WantProblem(t, http.StatusRequestEntityTooLarge, idem.CodeBodyTooLarge)
	s.wantRows(0, 0)
	s.post("k").Want(t, http.StatusCreated) // the key is as good as new
}

func TestInFlight(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	s := start(t, setup{createPet: func(ctx context.Context, tx *idem.Tx, _ api.CreatePetRequestObject) (api.CreatePetResponseObject, error) {
		close(entered)
		<-release
		return created("Rex"), insertPet(ctx, tx, "Rex")
	}})
	first := make(chan shoptest.Response)
	go func() { first <- s.post("k") }()
	<-entered
	r := s.post("k")
	r.WantProblem(t, http.StatusConflict, idem.CodeInFlight)
	if r.Header.Get("Retry-After") != "1" || r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v", r.Header)
	}
	close(release)
	answer := <-first
	answer.Want(t, http.StatusCreated)
	if again := s.post("k").Want(t, http.StatusCreated); !bytes.Equal(again.Body, answer.Body) || !again.Replayed() {
		t.Errorf("got %s, want the first answer %s", again.Body, answer.Body)
	}
	s.wantRows(1, 1)
}

func TestWithoutAKey(t *testing.T) {
	t.Parallel()
	s := start(t, setup{})
	s.Do(http.MethodPut, "/products/leash", "", `{"name":"Leash","price_cents":100,"stock":5}`).Want(t, http.StatusOK)
	s.Do(http.MethodPost, "/orders", "o", `{"sku":"leash","quantity":2}`).Want(t, http.StatusCreated)
	s.Do(http.MethodPost, "/orders/1/payments", "3f2504e0-4f89-41d3-9a0c-0305e82c3301", `{"card_token":"tok_visa"}`).Want(t, http.StatusCreated)
	refund := func(key string) shoptest.Response {
		return s.Do(http.MethodPost, "/payments/1/refunds", key, `{"amount_cents":50}`).Want(t, http.StatusCreated)
	}
	records := s.count("SELECT count(*) FROM idempotency_records")
	for range 2 {
		if refund("").Replayed() {
			t.Error("a request without a key was replayed")
		}
	}
	if got := s.count("SELECT count(*) FROM idempotency_records"); got != records {
		t.Error("a request without a key left a record")
	}
	if refund("r").Replayed() || !refund("r").Replayed() {
		t.Error("with a key it is as any other")
	}
	if got := s.count("SELECT count(*) FROM refunds"); got != 3 {
		t.Errorf("%d refunds, want 3", got)
	}
}

func TestTenantsDontMeet(t *testing.T) {
	t.Parallel()
	s := start(t, setup{})
	acme := s.Do(http.MethodPost, "/pets", "k", `{"name":"Acme's"}`).Want(t, http.StatusCreated)
	globex := s.as(shoptest.GlobexKey)
	other := globex.Do(http.MethodPost, "/pets", "k", `{"name":"Globex's"}`).Want(t, http.StatusCreated)
	if other.Replayed() || bytes.Contains(other.Body, []byte("Acme")) {
		t.Errorf("globex got %s", other.Body)
	}
	for client, want := range map[*shoptest.Client]shoptest.Response{s.Client: acme, globex: other} {
		name := shoptest.Decode[api.Pet](t, want).Name
		if got := client.Do(http.MethodPost, "/pets", "k", map[string]string{"name": name}); !bytes.Equal(got.Body, want.Body) {
			t.Errorf("the retry got %s, want %s", got.Body, want.Body)
		}
	}
	// Not even that a key was used is told to another tenant.
	globex.Do(http.MethodPost, "/pets", "k2", pet).Want(t, http.StatusCreated)
	if s.post("k2").Want(t, http.StatusCreated).Replayed() {
		t.Error("acme got globex's answer")
	}
	s.as("").Do(http.MethodPost, "/pets", "k", pet).WantProblem(t, http.StatusUnauthorized, idem.CodeUnauthenticated)
	s.wantRows(4, 4)
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	s := start(t, setup{})
	s.post("k").Want(t, http.StatusCreated)
	if got := s.count("SELECT extract(epoch FROM expires_at - now())::int FROM idempotency_records"); got < 24*3600-60 || got > 24*3600 {
		t.Errorf("the record lives for %d s, want 24 h", got)
	}
	if _, err := s.db.Exec(t.Context(), "UPDATE idempotency_records SET expires_at = now() - interval '1 s'"); err != nil {
		t.Fatal(err)
	}
	// Expired and still there is the same as absent: another request may have the key.
	second := s.Do(http.MethodPost, "/pets", "k", `{"name":"Max"}`).Want(t, http.StatusCreated)
	if second.Replayed() {
		t.Error("an expired record was replayed")
	}
	s.wantRows(2, 1)
	if again := s.Do(http.MethodPost, "/pets", "k", `{"name":"Max"}`); !again.Replayed() || !bytes.Equal(again.Body, second.Body) {
		t.Error("the new record doesn't answer")
	}
}

// What placeOrder's x-idempotent says, by way of the generated code.
func TestGeneratedContract(t *testing.T) {
	t.Parallel()
	s := start(t, setup{})
	order := func(key, clientTime string) shoptest.Response {
		return s.Do(http.MethodPost, "/orders", key, `{"sku":"leash","quantity":1,"client_time":"`+clientTime+`"}`)
	}
	for range 2 { // store: a 404 isn't in it
		if order("k", "2026-11-21T09:00:00Z").Want(t, http.StatusNotFound).Replayed() {
			t.Error("the 404 was stored")
		}
	}
	s.Do(http.MethodPut, "/products/leash", "", `{"name":"Leash","price_cents":100,"stock":1}`).Want(t, http.StatusOK)
	order("k", "2026-11-21T09:00:01Z").Want(t, http.StatusCreated)
	if !order("k", "2026-11-21T09:00:02Z").Want(t, http.StatusCreated).Replayed() {
		t.Error("client_time has counted, which fingerprint excludes")
	}
	order("k2", "2026-11-21T09:00:03Z").Want(t, http.StatusConflict) // out of stock, and stored
	if !order("k2", "2026-11-21T09:00:04Z").Want(t, http.StatusConflict).Replayed() {
		t.Error("the 409 wasn't stored")
	}
	// wait: duplicates at once all get the order.
	s.Do(http.MethodPut, "/products/leash", "", `{"name":"Leash","price_cents":100,"stock":1}`).Want(t, http.StatusOK)
	answers := make(chan shoptest.Response)
	for range 10 {
		go func() { answers <- order("k3", "2026-11-21T09:00:05Z") }()
	}
	for range 10 {
		(<-answers).Want(t, http.StatusCreated)
	}
}
