package contract

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
	idem "github.com/idemgen/idemgen/runtime"
)

// exchange is one request to the generated petstore and what must come of it.
type exchange struct {
	// request is "METHOD /path"; key may be empty.
	request, key string
	header       http.Header
	body         any
	status       int
	code         string // of a problem, where the engine answers
	replayed     bool
}

// The rows of docs/reference/http.md that can be seen from outside, driven
// through the generated petstore: each as it is, and with every key as an
// RFC 9651 String.
func TestContractTable(t *testing.T) {
	t.Parallel()
	const (
		uuid     = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
		leash    = `{"name":"Leash","price_cents":100,"stock":5}`
		order    = `{"sku":"leash","quantity":1}`
		delivery = `{"supplier":"acme","note":"n-1","quantity":3}`
		flood    = `{"supplier":"acme","note":"n-2","quantity":1000}`
	)
	stock := func(body string) exchange {
		return exchange{request: "PUT /products/leash", body: body, status: 200}
	}
	contact := url.Values{"email": {"a@example.com"}, "message": {"hi"}}
	for name, steps := range map[string][]exchange{
		"replay": {
			{request: "POST /pets", key: "k", body: pet, status: 201},
			{request: "POST /pets", key: "k", body: pet, status: 201, replayed: true},
			{request: "DELETE /pets/1", key: "k", status: 204},
			{request: "DELETE /pets/1", key: "k", status: 204, replayed: true},
		},
		"another request": {
			{request: "POST /pets", key: "k", body: pet, status: 201},
			{request: "POST /pets", key: "k", body: `{"name":"Max"}`, status: 422, code: idem.CodeKeyReused},
			{request: "PATCH /pets/1", key: "k", body: pet, status: 200},
			{request: "PATCH /pets/2", key: "k", body: pet, status: 422, code: idem.CodeKeyReused},
		},
		"missing key": {
			{request: "POST /pets", body: pet, status: 400, code: idem.CodeKeyMissing},
		},
		"too long for any key": {
			{request: "POST /pets", key: strings.Repeat("x", 256), body: pet, status: 400, code: idem.CodeKeyInvalid},
			{request: "POST /pets", key: strings.Repeat("x", 255), body: pet, status: 201},
		},
		"optional key": {
			stock(leash),
			{request: "POST /orders", key: "k", body: order, status: 201},
			{request: "POST /orders/1/payments", key: uuid, body: `{"card_token":"tok_visa"}`, status: 201},
			{request: "POST /payments/1/refunds", body: `{"amount_cents":1}`, status: 201},
			{request: "POST /payments/1/refunds", body: `{"amount_cents":1}`, status: 201},
			{request: "POST /payments/1/refunds", key: "k", body: `{"amount_cents":1}`, status: 201},
			{request: "POST /payments/1/refunds", key: "k", body: `{"amount_cents":1}`, status: 201, replayed: true},
		},
		"format": {
			stock(leash),
			{request: "POST /orders", key: "k", body: order, status: 201},
			{request: "POST /orders/1/payments", key: "k", body: `{"card_token":"tok_visa"}`, status: 400, code: idem.CodeKeyInvalid},
			{request: "POST /orders/1/payments", key: uuid, body: `{"card_token":"tok_visa"}`, status: 201},
			{request: "POST /orders/1/payments", key: uuid, body: `{"card_token":"tok_visa"}`, status: 201, replayed: true},
		},
		"declared parameter and its limit": {
			stock(leash),
			{request: "POST /orders", key: strings.Repeat("x", 65), body: order, status: 400, code: idem.CodeKeyInvalid},
			{request: "POST /orders", key: strings.Repeat("x", 64), body: order, status: 201},
			{request: "POST /orders", body: order, status: 400, code: idem.CodeKeyMissing},
		},
		"excluded from the fingerprint": {
			stock(leash),
			{request: "POST /orders", key: "k", body: order, status: 201},
			{request: "POST /orders", key: "k", body: `{"sku":"leash","quantity":1,"client_time":"2026-11-21T09:00:00Z"}`, status: 201, replayed: true},
			{request: "POST /orders", key: "k", body: `{"sku":"leash","quantity":2}`, status: 422, code: idem.CodeKeyReused},
		},
		"store": {
			{request: "POST /orders", key: "k", body: order, status: 404},
			{request: "POST /orders", key: "k", body: order, status: 404},
			stock(strings.Replace(leash, "5", "0", 1)),
			{request: "POST /orders", key: "k", body: order, status: 409},
			stock(leash),
			{request: "POST /orders", key: "k", body: order, status: 409, replayed: true},
		},
		"a stored refusal": {
			{request: "PATCH /pets/9", key: "k", body: pet, status: 404},
			{request: "PATCH /pets/9", key: "k", body: pet, status: 404, replayed: true},
		},
		"form": {
			{request: "POST /contact", key: "k", body: contact, status: 202},
			{request: "POST /contact", key: "k", body: contact, status: 202, replayed: true},
			{request: "POST /contact?message=other", key: "k", body: contact, status: 422, code: idem.CodeKeyReused},
		},
		"key in the body": {
			stock(leash),
			{request: "POST /products/leash/deliveries", body: delivery, status: 201},
			{request: "POST /products/leash/deliveries", body: delivery, status: 201, replayed: true},
			{request: "POST /products/leash/deliveries", body: `{"supplier":"acme","quantity":3}`, status: 400, code: idem.CodeKeyMissing},
			{request: "POST /products/leash/deliveries", body: `{"supplier":"acme","note":null,"quantity":3}`, status: 400, code: idem.CodeKeyMissing},
			{request: "POST /products/leash/deliveries", body: `{"supplier":"acme","note":[],"quantity":3}`, status: 400, code: idem.CodeKeyInvalid},
		},
		"included in the fingerprint, and a header": {
			stock(leash),
			{request: "POST /products/leash/deliveries", body: delivery, status: 201},
			{request: "POST /products/leash/deliveries", body: strings.Replace(delivery, "{", `{"scanned_at":"2026-11-21T09:00:00Z",`, 1), status: 201, replayed: true},
			{request: "POST /products/leash/deliveries", body: strings.Replace(delivery, "3", "4", 1), status: 422, code: idem.CodeKeyReused},
			{request: "POST /products/leash/deliveries", header: http.Header{"X-Unit": {"box"}}, body: delivery, status: 422, code: idem.CodeKeyReused},
		},
		"scope by path": {
			stock(leash),
			{request: "PUT /products/bowl", body: leash, status: 200},
			{request: "POST /products/leash/deliveries", body: delivery, status: 201},
			{request: "POST /products/bowl/deliveries", body: delivery, status: 201},
			{request: "POST /products/bowl/deliveries", body: delivery, status: 201, replayed: true},
		},
		"keep-writes": {
			stock(strings.Replace(leash, "5", "999999", 1)),
			{request: "POST /products/leash/deliveries", body: flood, status: 409},
			{request: "POST /products/leash/deliveries", body: flood, status: 409, replayed: true},
		},
		"broken bodies": {
			{request: "POST /pets", key: "k", body: `{"name":`, status: 400, code: idem.CodeBodyInvalid},
			{request: "POST /pets", key: "k", body: `{"name":"a","name":"b"}`, status: 400, code: idem.CodeBodyInvalid},
			{request: "POST /pets", key: "k", body: `{"name":1}`, status: 400, code: idem.CodeRequestInvalid},
			{request: "POST /pets", key: "k", body: `{"name":"` + strings.Repeat("x", 2<<20) + `"}`, status: 413, code: idem.CodeBodyTooLarge},
			{request: "POST /pets", key: "k", body: pet, status: 201},
		},
	} {
		for spelling, format := range map[string]string{"raw": "%s", "String": "%q"} {
			t.Run(name+"/"+spelling, func(t *testing.T) {
				t.Parallel()
				s := start(t, setup{})
				for i, step := range steps {
					s.take(t, i, step, format)
				}
				if name == "keep-writes" && s.count("SELECT count(*) FROM deliveries WHERE NOT accepted") != 1 {
					t.Error("the refused delivery isn't noted once")
				}
			})
		}
	}
}

func (s *store) take(t *testing.T, i int, step exchange, keyFormat string) {
	t.Helper()
	header := step.header.Clone()
	if header == nil {
		header = http.Header{}
	}
	if step.key != "" {
		header.Set(shoptest.KeyHeader, fmt.Sprintf(keyFormat, step.key))
	}
	method, path, _ := strings.Cut(step.request, " ")
	r, err := s.Send(t.Context(), method, path, header, step.body)
	if err != nil {
		t.Fatalf("%d. %s: %v", i+1, step.request, err)
	}
	if r.Status != step.status || r.Replayed() != step.replayed {
		t.Fatalf("%d. %s: %d, replayed %t, want %d, %t; body: %s", i+1, step.request, r.Status, r.Replayed(), step.status, step.replayed, r.Body)
	}
	if step.code != "" {
		r.WantProblem(t, step.status, step.code)
	}
}
