package runtime

import (
	"crypto/sha256"
	"encoding/binary"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

// fingerprintVersion is the first byte of a fingerprint, and grows with every
// change of what is hashed: fingerprints of two versions can't be compared.
const fingerprintVersion = 1

// fingerprint hashes what makes a request the same as another: operation, path
// and query parameters that the spec declares, and the body in canonical form.
// Half of SHA-256 is enough: two requests with one fingerprint are of use only
// against oneself, since the principal and the key must be the same too.
func fingerprint(op *Operation, r *http.Request, body []byte) ([]byte, error) {
	b := appendString(nil, op.Name)
	for _, name := range op.Fingerprint.PathParams {
		b = appendString(b, name)
		b = appendString(b, r.PathValue(name))
	}
	if len(op.Fingerprint.QueryParams) > 0 {
		query := r.URL.Query()
		for _, name := range op.Fingerprint.QueryParams {
			b = appendString(b, name)
			b = appendStrings(b, query[name])
		}
	}
	b, err := appendBody(b, r, body)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	return append([]byte{fingerprintVersion}, sum[:16]...), nil
}

// sameRequest compares a record's fingerprint with a request's. A record of
// another version can't be compared, and answers: better than to refuse it.
func sameRequest(stored, got []byte) bool {
	if len(stored) == 0 || stored[0] != got[0] {
		return true
	}
	return string(stored) == string(got)
}

func appendBody(b []byte, r *http.Request, body []byte) ([]byte, error) {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // "" if there is none, or no good one
	switch {
	case (media == "application/json" || strings.HasSuffix(media, "+json")) && len(body) > 0:
		return appendCanonicalJSON(append(b, 'j'), body)
	case media == "application/x-www-form-urlencoded":
		if form, ok := parseForm(r, body); ok {
			// http.Request.ParseForm, and so the handler, sees the query too.
			b = appendString(append(b, 'f'), form.Encode())
			return appendString(b, r.URL.Query().Encode()), nil
		}
	}
	return appendString(append(b, 'b'), string(body)), nil
}

// parseForm decodes a form. A middleware that has parsed it already has used
// up the body.
func parseForm(r *http.Request, body []byte) (url.Values, bool) {
	if r.PostForm != nil {
		return r.PostForm, true
	}
	form, err := url.ParseQuery(string(body))
	return form, err == nil
}

func appendStrings(b []byte, values []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(values)))
	for _, value := range values {
		b = appendString(b, value)
	}
	return b
}
