package contract

import (
	"context"
	"net/http"
	"testing"

	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
	idem "github.com/idemgen/idemgen/runtime"
)

// serveKeys serves an operation that answers with its key.
func serveKeys(t *testing.T, op *idem.Operation) *engineServer {
	return serveOperation(t, migrated(t), idem.Config{}, op, func(_ context.Context, tx *idem.Tx) (idem.Response, error) {
		return text(tx.Key()), nil
	})
}

func (s *engineServer) send(body string) shoptest.Response {
	s.t.Helper()
	return s.client.Do(http.MethodPost, "/op/1", "", body)
}

// A key that is part of the body: the provider's event, the customer's cart.
func TestNaturalKeys(t *testing.T) {
	t.Parallel()
	op := operation()
	op.Key.Pointers = []string{"/event/id"}
	s := serveKeys(t, op)
	first := s.send(`{"event":{"id":"evt_1"},"n":1}`).Want(t, http.StatusOK)
	if string(first.Body) != "evt_1" {
		t.Errorf("the key is %s", first.Body)
	}
	if !s.send(` {"n":1, "event": {"id": "evt_\u0031"}}`).Want(t, http.StatusOK).Replayed() {
		t.Error("the redelivery wasn't replayed")
	}
	s.send(`{"event":{"id":"evt_1"},"n":2}`).WantProblem(t, http.StatusUnprocessableEntity, idem.CodeKeyReused)
	for _, body := range []string{`{}`, `{"event":{}}`, `{"event":{"id":null}}`, `{"event":"evt_1"}`, `[]`, ``} {
		s.send(body).WantProblem(t, http.StatusBadRequest, idem.CodeKeyMissing)
	}
	for _, body := range []string{`{"event":{"id":{}}}`, `{"event":{"id":""}}`, `{"event":{"id":"a","id":"b"}}`, `{"event":`} {
		s.send(body).WantProblem(t, http.StatusBadRequest, idem.CodeKeyInvalid)
	}

	op = operation()
	op.Key.Pointers = []string{"/customer", "/cart"}
	s = serveKeys(t, op)
	seen := map[string]bool{}
	for _, body := range []string{`{"customer":"a","cart":"bc"}`, `{"customer":"ab","cart":"c"}`, `{"customer":1,"cart":2}`, `{"customer":"1","cart":2}`} {
		r := s.send(body).Want(t, http.StatusOK)
		if r.Replayed() || seen[string(r.Body)] {
			t.Errorf("%s has the key of another request: %s", body, r.Body)
		}
		seen[string(r.Body)] = true
	}
	s.send(`{"customer":"a"}`).WantProblem(t, http.StatusBadRequest, idem.CodeKeyMissing)
}

func TestOptionalNaturalKey(t *testing.T) {
	t.Parallel()
	op := operation()
	op.Key = idem.Key{Pointers: []string{"/id"}, Optional: true}
	s := serveKeys(t, op)
	for range 2 {
		if s.send(`{}`).Want(t, http.StatusOK).Replayed() {
			t.Error("a request without a key was replayed")
		}
	}
}

// Parts of the body that change at each retry can be left out, and headers
// that make a difference taken in.
func TestFingerprintParts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fingerprint idem.Fingerprint
		same, other []string
	}{
		"exclude": {
			idem.Fingerprint{Exclude: []string{"/sent_at", "/meta/trace"}},
			[]string{`{"n":1}`, `{"n":1,"sent_at":"now"}`, `{"sent_at":"later","n":1}`},
			[]string{`{"n":2}`, `{"n":1,"meta":{"user":1}}`, `{"n":1,"other":null}`},
		},
		"include": {
			idem.Fingerprint{Include: []string{"/n", "/customer/id"}},
			[]string{`{"n":1}`, `{"n":1,"customer":{"name":"x"}}`, `{"n":1,"z":[1,2]}`},
			[]string{`{"n":2}`, `{"n":1,"customer":{"id":7}}`, `{"n":null}`, `{}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			op := operation()
			op.Fingerprint = test.fingerprint
			s := serveKeys(t, op)
			send := func(body string) shoptest.Response { return s.client.Do(http.MethodPost, "/op/1", "k", body) }
			for i, body := range test.same {
				if r := send(body).Want(t, http.StatusOK); r.Replayed() != (i > 0) {
					t.Errorf("%s: replayed %t", body, r.Replayed())
				}
			}
			for _, body := range test.other {
				send(body).WantProblem(t, http.StatusUnprocessableEntity, idem.CodeKeyReused)
			}
		})
	}
}

func TestFingerprintHeaders(t *testing.T) {
	t.Parallel()
	op := operation()
	op.Fingerprint = idem.Fingerprint{Headers: []string{"x-currency"}}
	s := serveKeys(t, op)
	send := func(currency, trace string) shoptest.Response {
		header := http.Header{shoptest.KeyHeader: {"k"}, "X-Currency": {currency}, "X-Trace": {trace}}
		r, err := s.client.Send(t.Context(), http.MethodPost, "/op/1", header, `{}`)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	send("eur", "1").Want(t, http.StatusOK)
	if !send("eur", "2").Want(t, http.StatusOK).Replayed() {
		t.Error("a header that doesn't count has counted")
	}
	send("usd", "1").WantProblem(t, http.StatusUnprocessableEntity, idem.CodeKeyReused)
}

// A multipart form is the same with another boundary, which clients make anew
// for each try.
func TestMultipartRetry(t *testing.T) {
	t.Parallel()
	s := serveKeys(t, operation())
	send := func(boundary, content string) shoptest.Response {
		header := http.Header{shoptest.KeyHeader: {"k"}, "Content-Type": {"multipart/form-data; boundary=" + boundary}}
		body := "--" + boundary + "\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\n\r\n" + content + "\r\n--" + boundary + "--\r\n"
		r, err := s.client.Send(t.Context(), http.MethodPost, "/op/1", header, body)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	send("one", "hello").Want(t, http.StatusOK)
	if !send("two", "hello").Want(t, http.StatusOK).Replayed() {
		t.Error("another boundary made another request")
	}
	send("one", "hallo").WantProblem(t, http.StatusUnprocessableEntity, idem.CodeKeyReused)
}

// A record under an older rule can't be compared: its request gets its answer.
func TestFingerprintOfAnotherVersion(t *testing.T) {
	t.Parallel()
	s := start(t, setup{})
	s.post("k").Want(t, http.StatusCreated)
	if _, err := s.db.Exec(t.Context(), `UPDATE idempotency_records SET fingerprint = '\x00ff'`); err != nil {
		t.Fatal(err)
	}
	if !s.post("k").Want(t, http.StatusCreated).Replayed() {
		t.Error("the record doesn't answer")
	}
}

func TestKeyLimits(t *testing.T) {
	t.Parallel()
	op := operation()
	op.Key = idem.Key{Header: "X-Request-Id", MinLength: 4, MaxLength: 6}
	s := serveKeys(t, op)
	for key, want := range map[string]int{"abc": 400, "abcd": 200, `"abcdef"`: 200, "abcdefg": 400} {
		r, err := s.client.Send(t.Context(), http.MethodPost, "/op/1", http.Header{"X-Request-Id": {key}}, `{}`)
		if err != nil {
			t.Fatal(err)
		}
		r.Want(t, want)
	}
}
