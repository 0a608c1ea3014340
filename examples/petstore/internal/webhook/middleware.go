package webhook

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"

	idem "github.com/idemgen/idemgen/runtime"
)

// maxBody bounds, in bytes, what is read of a caller who isn't known yet.
const maxBody = 64 << 10

// Middleware answers requests to the route, a pattern such as "POST /hooks",
// with 401 unless the provider has signed them. It stands before the
// idempotency key is read: nobody but the provider can use up an event's id.
// Requests to other routes pass.
func (v *Verifier) Middleware(route string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Pattern != route {
				next.ServeHTTP(w, r)
				return
			}
			body, problem := read(w, r)
			if problem != nil {
				problem.Write(w)
				return
			}
			if err := v.verify(body, r.Header); err != nil {
				slog.InfoContext(r.Context(), "a webhook was refused", "error", err)
				unsigned.Write(w)
				return
			}
			// The very bytes that were signed, to be read once more.
			r.Body = restored{bytes.NewReader(body), r.Body}
			next.ServeHTTP(w, r)
		})
	}
}

type restored struct {
	io.Reader
	io.Closer
}

func read(w http.ResponseWriter, r *http.Request) ([]byte, *idem.Problem) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, idem.NewProblem(http.StatusRequestEntityTooLarge, idem.CodeBodyTooLarge, "the body of a webhook is too large")
	case err != nil:
		return nil, idem.NewProblem(http.StatusBadRequest, idem.CodeBodyInvalid, "the body could not be read to its end")
	}
	return body, nil
}

var unsigned = idem.NewProblem(http.StatusUnauthorized, "signature-invalid",
	"webhook-id, webhook-timestamp and webhook-signature must be there, of now, and made with the secret of this endpoint")
