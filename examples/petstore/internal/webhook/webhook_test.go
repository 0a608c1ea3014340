package webhook_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/idemgen/idemgen/examples/petstore/internal/webhook"
)

func secret(size int) string {
	key := make([]byte, size)
	_, _ = rand.Read(key) // never fails
	return "whsec_" + base64.StdEncoding.EncodeToString(key)
}

func TestNewVerifierRefuses(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]string{
		"empty":      "",
		"prefix":     "whsec_",
		"short":      secret(23),
		"no prefix":  strings.TrimPrefix(secret(32), "whsec_"),
		"not base64": "whsec_s3cret!" + strings.Repeat("A", 40),
	} {
		if _, err := webhook.NewVerifier(s); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: error %v, want one that doesn't show the secret", name, err)
		}
	}
}

func TestMiddleware(t *testing.T) {
	t.Parallel()
	ours, theirs := secret(24), secret(32)
	now, body := time.Now(), `{"type": "payment.settled"}`
	none := func(*http.Request) {}
	for _, c := range []struct {
		name   string
		secret string
		at     time.Time
		change func(*http.Request)
		want   int
	}{
		{"signed", ours, now, none, http.StatusOK},
		{"a little late", ours, now.Add(-4 * time.Minute), none, http.StatusOK},
		{"one of several signatures", ours, now, func(r *http.Request) {
			r.Header.Set("webhook-signature", "v1,AAAA v1a,BBBB "+r.Header.Get("webhook-signature"))
		}, http.StatusOK},
		{"other secret", theirs, now, none, http.StatusUnauthorized},
		{"too old", ours, now.Add(-6 * time.Minute), none, http.StatusUnauthorized},
		{"too new", ours, now.Add(6 * time.Minute), none, http.StatusUnauthorized},
		{"other id", ours, now, func(r *http.Request) { r.Header.Set("webhook-id", "evt_2") }, http.StatusUnauthorized},
		{"other time", ours, now, func(r *http.Request) {
			r.Header.Set("webhook-timestamp", fmt.Sprint(now.Unix()+1))
		}, http.StatusUnauthorized},
		{"no signature", ours, now, func(r *http.Request) { r.Header.Del("webhook-signature") }, http.StatusUnauthorized},
		{"other body", ours, now, func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(body + " ")) }, http.StatusUnauthorized},
		{"large body", ours, now, func(r *http.Request) {
			r.Body = io.NopCloser(bytes.NewReader(make([]byte, 64<<10+1)))
		}, http.StatusRequestEntityTooLarge},
		{"broken body", ours, now, func(r *http.Request) {
			r.Body = io.NopCloser(io.MultiReader(strings.NewReader(body), broken{}))
		}, http.StatusBadRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			request := signed(t, c.secret, "/hooks", body, c.at)
			c.change(request)
			if got := serve(t, ours, request); got.Code != c.want || c.want == http.StatusOK && got.Body.String() != body {
				t.Errorf("%d %s, want %d and the body that was sent", got.Code, got.Body, c.want)
			}
		})
	}
	t.Run("other routes pass", func(t *testing.T) {
		t.Parallel()
		if got := serve(t, ours, httptest.NewRequest(http.MethodPost, "/others", strings.NewReader(body))); got.Code != http.StatusOK {
			t.Errorf("%d %s", got.Code, got.Body)
		}
	})
}

// serve answers with the body of a request that gets through.
func serve(t *testing.T, secret string, request *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	verifier, err := webhook.NewVerifier(secret)
	if err != nil {
		t.Fatal(err)
	}
	echo := verifier.Middleware("POST /hooks")(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	}))
	mux := http.NewServeMux()
	mux.Handle("POST /hooks", echo)
	mux.Handle("POST /others", echo)
	recorder := httptest.NewRecorder()
	mux.ServeHTTP(recorder, request)
	return recorder
}

func signed(t *testing.T, secret, path, body string, at time.Time) *http.Request {
	t.Helper()
	signer, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := signer.Sign("evt_1", at, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	request := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	request.Header.Set("webhook-id", "evt_1")
	request.Header.Set("webhook-timestamp", fmt.Sprint(at.Unix()))
	request.Header.Set("webhook-signature", signature)
	return request
}

// broken is the connection of a client that is gone.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
