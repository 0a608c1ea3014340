package auth_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/examples/petstore/internal/auth"
)

func TestParseKeysRefuses(t *testing.T) {
	t.Parallel()
	for name, list := range map[string]string{
		"empty":         "",
		"no tenant":     ":s3cret",
		"no key":        "acme:",
		"no colon":      "s3cret",
		"empty entry":   "acme:s3cret,",
		"one key twice": "acme:s3cret,globex:s3cret",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := auth.ParseKeys(list)
			if err == nil {
				t.Fatalf("%q is taken", list)
			}
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the error shows the key: %v", err)
			}
		})
	}
}

func TestMiddleware(t *testing.T) {
	t.Parallel()
	keys, err := auth.ParseKeys("acme:old, acme:new:er ,globex:other")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	tenant := keys.Middleware("GET /public")(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		principal, err := auth.Principal(r)
		if tenant := auth.Tenant(r.Context()); tenant != principal || (err != nil) != (tenant == "") {
			t.Errorf("tenant %q, principal %q, %v", tenant, principal, err)
		}
		_, _ = w.Write([]byte(principal))
	}))
	mux.Handle("GET /secured", tenant)
	mux.Handle("GET /public", tenant)

	for _, c := range []struct {
		path, key string
		status    int
		tenant    string
	}{
		{"/secured", "old", http.StatusOK, "acme"},
		{"/secured", "new:er", http.StatusOK, "acme"},
		{"/secured", "other", http.StatusOK, "globex"},
		{"/secured", "unknown", http.StatusUnauthorized, ""},
		{"/secured", "", http.StatusUnauthorized, ""},
		{"/public", "", http.StatusOK, ""},
		{"/public", "unknown", http.StatusOK, ""},
	} {
		request := httptest.NewRequest(http.MethodGet, c.path, nil)
		if c.key != "" {
			request.Header.Set(auth.Header, c.key)
		}
		recorder := httptest.NewRecorder()
		mux.ServeHTTP(recorder, request)
		body := recorder.Body.String()
		if recorder.Code != c.status || c.status == http.StatusOK && body != c.tenant {
			t.Errorf("GET %s with key %q: %d %q, want %d %q", c.path, c.key, recorder.Code, body, c.status, c.tenant)
		}
	}
}
