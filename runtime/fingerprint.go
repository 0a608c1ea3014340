package runtime

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

// The first byte of a fingerprint says how it was made, and a change of what
// is hashed needs a new one: fingerprints of two versions can't be compared.
const (
	// fingerprintVersion is that of an operation which says nothing of its
	// fingerprint.
	fingerprintVersion = 1
	// fingerprintChosen is that of an operation which chooses parts of the
	// body or headers. Four bytes of the rule's hash follow: under another
	// choice the fingerprint is another version, too.
	fingerprintChosen = 2

	ruleSize = 4
)

const formEncoded = "application/x-www-form-urlencoded"

// fingerprint hashes what makes a request the same as another: operation, path
// and query parameters that the spec declares, and the body in canonical form.
// Half of SHA-256 is enough: two requests with one fingerprint are of use only
// against oneself, since the principal and the key must be the same too.
func fingerprint(op *Operation, r *http.Request, body []byte) ([]byte, error) {
	f := &op.Fingerprint
	b := appendString(make([]byte, 0, 256+len(body)), op.Name)
	for _, name := range f.PathParams {
		b = appendString(b, r.PathValue(name)) // not the name: a new spec may rename it
	}
	if query := queryOf(r); len(query) > 0 {
		for _, name := range f.QueryParams {
			if values := query[name]; len(values) > 0 { // a new spec may have a new one
				b = appendStrings(appendString(append(b, '?'), name), values)
			}
		}
	}
	b = append(b, 'q') // the end of the query
	for _, name := range f.Headers {
		b = appendHeader(b, r, http.CanonicalHeaderKey(name))
	}
	b, err := appendBody(b, f, r, body)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	return append(f.version(), sum[:16]...), nil
}

// version is what a fingerprint begins with.
func (f *Fingerprint) version() []byte {
	b := make([]byte, 0, 1+ruleSize+16)
	if len(f.Include) == 0 && len(f.Exclude) == 0 && len(f.Headers) == 0 {
		return append(b, fingerprintVersion)
	}
	var rule []byte
	for _, names := range [][]string{f.PathParams, f.QueryParams, f.Include, f.Exclude, f.Headers} {
		rule = appendStrings(rule, names)
	}
	sum := sha256.Sum256(rule)
	return append(append(b, fingerprintChosen), sum[:ruleSize]...)
}

// sameRequest compares a record's fingerprint with a request's. A record of
// another version can't be compared, and answers: better than to refuse it.
func sameRequest(stored, got []byte) bool {
	version := 1
	if got[0] == fingerprintChosen {
		version += ruleSize
	}
	return !bytes.HasPrefix(stored, got[:version]) || bytes.Equal(stored, got)
}

func appendBody(b []byte, f *Fingerprint, r *http.Request, body []byte) ([]byte, error) {
	media, params := mediaType(r)
	if media == formEncoded && braced(body) {
		// What curl -d makes of JSON, and JSON handlers take: as a form, "+"
		// and a space would be the same.
		media = ""
		if json.Valid(body) {
			media = "application/json"
		}
	}
	switch {
	case (media == "application/json" || strings.HasSuffix(media, "+json")) && len(body) > 0:
		cursors := appendCursors(appendCursors(nil, include, f.Include), exclude, f.Exclude)
		return appendCanonicalJSON(append(b, 'j'), body, cursors)
	case media == formEncoded:
		if form, ok := parseForm(r, body); ok {
			// http.Request.ParseForm, and so the handler, sees the query too.
			b = appendString(append(b, 'f'), form.Encode())
			return appendString(b, queryOf(r).Encode()), nil
		}
	case strings.HasPrefix(media, "multipart/"):
		if parts, ok := appendMultipart(b, media, params, body); ok {
			if media == formData { // ParseMultipartForm sees the query, too
				parts = appendString(parts, queryOf(r).Encode())
			}
			return parts, nil
		}
	}
	return appendBytes(append(b, 'b'), body), nil
}

// mediaType is "" if there is none, or no good one, or if the body is
// compressed and so can't be read.
func mediaType(r *http.Request) (string, map[string]string) {
	contentType := r.Header.Get("Content-Type")
	switch {
	case encoded(r):
		return "", nil
	case contentType == "application/json": // as nearly all are
		return contentType, nil
	}
	media, params, _ := mime.ParseMediaType(contentType)
	return media, params
}

func encoded(r *http.Request) bool {
	for _, coding := range r.Header["Content-Encoding"] {
		if coding != "" && !strings.EqualFold(coding, "identity") {
			return true
		}
	}
	return false
}

// braced tells whether the body begins as no encoded form does.
func braced(body []byte) bool {
	body = bytes.TrimLeft(body, " \t\r\n")
	return len(body) > 0 && (body[0] == '{' || body[0] == '[')
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

func queryOf(r *http.Request) url.Values {
	if r.URL.RawQuery == "" {
		return nil
	}
	return r.URL.Query()
}

func appendHeader(b []byte, r *http.Request, name string) []byte {
	b = appendString(b, name)
	if name == "Host" { // net/http moves it out of the headers
		return appendStrings(b, []string{r.Host})
	}
	return appendStrings(b, r.Header[name])
}

func appendStrings(b []byte, values []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(values)))
	for _, value := range values {
		b = appendString(b, value)
	}
	return b
}
