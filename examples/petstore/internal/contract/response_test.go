package contract

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

// Whatever a response is made of, its replay is the same: binary, written in
// pieces, encoded, empty, a redirect.
func TestReplayOfAnyResponse(t *testing.T) {
	t.Parallel()
	binary := make([]byte, 256)
	for i := range binary {
		binary[i] = byte(i)
	}
	for name, response := range map[string]idem.Response{
		"binary": func(w http.ResponseWriter) error {
			w.Header().Set("Content-Type", "application/octet-stream")
			w.Header().Set("Content-Disposition", `attachment; filename="a;b"`)
			_, err := w.Write(binary)
			return err
		},
		"in pieces": func(w http.ResponseWriter) error {
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(http.StatusAccepted)
			for range 100 {
				if _, err := w.Write([]byte(strings.Repeat("x", 100) + "\n")); err != nil {
					return err
				}
			}
			return nil
		},
		"encoded": func(w http.ResponseWriter) error {
			w.Header().Set("Content-Encoding", "br")
			w.Header().Set("Etag", `W/"1"`)
			w.Header().Add("Link", "</a>; rel=next")
			w.Header().Add("Link", "</b>; rel=prev")
			_, err := w.Write([]byte{0xff, 0, 1})
			return err
		},
		"empty":      func(http.ResponseWriter) error { return nil },
		"no content": status(http.StatusNoContent),
		"redirect": func(w http.ResponseWriter) error {
			w.Header().Set("Location", "/é?a=b")
			return status(http.StatusSeeOther)(w)
		},
		"no media type": func(w http.ResponseWriter) error { _, err := w.Write([]byte("<html>")); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serveOperation(t, migrated(t), idem.Config{}, operation(), func(context.Context, *idem.Tx) (idem.Response, error) {
				return response, nil
			})
			first, again := s.post("k", ""), s.post("k", "")
			again.Header.Del("Idempotency-Replayed")
			again.Header.Set("Date", first.Header.Get("Date"))
			if first.Replayed() || first.Status != again.Status || !bytes.Equal(first.Body, again.Body) || !sameHeader(first.Header, again.Header) {
				t.Errorf("first %d %v %q, then %d %v %q", first.Status, first.Header, first.Body, again.Status, again.Header, again.Body)
			}
		})
	}
}

// Of the headers, a stored answer has the usual ones and those that the spec
// declares, and never what belongs to one exchange or one person.
func TestStoredHeaders(t *testing.T) {
	t.Parallel()
	op := operation()
	op.ResponseHeaders = []string{"x-declared", "Set-Cookie", "Date", "Connection", "Www-Authenticate"}
	s := serveOperation(t, migrated(t), idem.Config{}, op, func(context.Context, *idem.Tx) (idem.Response, error) {
		return func(w http.ResponseWriter) error {
			for _, name := range []string{"X-Declared", "X-Other", "Set-Cookie", "Authorization", "Www-Authenticate", "Last-Modified", "Content-Language"} {
				w.Header().Set(name, "v")
			}
			return status(http.StatusOK)(w)
		}, nil
	})
	for range 2 {
		r := s.post("k", "").Want(t, http.StatusOK)
		for name, want := range map[string]bool{
			"X-Declared": true, "Last-Modified": true, "Content-Language": true,
			"X-Other": false, "Set-Cookie": false, "Authorization": false, "Www-Authenticate": false,
		} {
			if got := r.Header.Get(name) != ""; got != want {
				t.Errorf("%s is there: %t, want %t (replay: %t)", name, got, want, r.Replayed())
			}
		}
	}
}
