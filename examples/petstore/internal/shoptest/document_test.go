package shoptest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
)

// Real answers don't fit a document that lies, or that leaves something out.
func TestCheckFindsLies(t *testing.T) {
	t.Parallel()
	shop := shoptest.Start(t)
	const pet = `{"name":"Rex"}`
	answers := map[string]shoptest.Response{
		"first":   shop.Do(http.MethodPost, "/pets", "k", pet).Want(t, http.StatusCreated),
		"replay":  shop.Do(http.MethodPost, "/pets", "k", pet).Want(t, http.StatusCreated),
		"reused":  shop.Do(http.MethodPost, "/pets", "k", `{"name":"Max"}`).Want(t, http.StatusUnprocessableEntity),
		"missing": shop.Do(http.MethodPost, "/pets", "", pet).Want(t, http.StatusBadRequest),
	}
	request := httptest.NewRequest(http.MethodPost, "/pets", nil)
	for name, lie := range map[string]struct{ found, before, after string }{
		"nothing":               {"", "", ""},
		"no such status":        {"reused", "'422': {", "'418': {"},
		"no such code":          {"reused", "key-reused, ", ""},
		"another media type":    {"missing", "application/problem+json:", "application/json:"},
		"a field too many":      {"missing", "required: [title, status, detail, code]", "required: [title, status, detail, code, instance]"},
		"a silent replay":       {"replay", "Idempotency-Replayed: {", "Idempotency-Replaid: {"},
		"a header that isn't":   {"first", "Where the new thing is.\n      required: true\n      schema: {type: string", "Where.\n      required: true\n      schema: {type: integer"},
		"a header too many":     {"reused", "'422': {$ref: '#/components/responses/IdempotencyKeyReused'}", "'422': {$ref: '#/components/responses/IdempotencyInFlight'}"},
		"a property of another": {"first", "price_cents: {$ref: '#/components/schemas/Price'}\n        created_at: {type: string", "price_cents: {$ref: '#/components/schemas/Price'}\n        created_at: {type: integer"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.ReplaceAll(string(api.Document), lie.before, lie.after)
			if text == string(api.Document) && lie.before != "" {
				t.Fatalf("%q isn't in the document", lie.before)
			}
			doc, err := shoptest.ReadDocument([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			for kind, answer := range answers {
				if problem := doc.Check(request, answer); kind == lie.found && problem == nil || lie.found == "" && problem != nil {
					t.Errorf("%s: %v", kind, problem)
				}
			}
		})
	}
}
