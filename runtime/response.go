package runtime

import (
	"bytes"
	"net/http"
)

// Response renders what a handler returned, as oapi-codegen's VisitXxxResponse
// methods do.
type Response func(http.ResponseWriter) error

// Stored is the answer to a request: made just now, or read from a record.
type Stored struct {
	// Status is the HTTP status.
	Status int
	// Header holds the headers, canonical names.
	Header http.Header
	// Body is the body as it is sent.
	Body []byte
	// Replayed says that the handler didn't run for this request.
	Replayed bool
	// Omitted says that the body was too large to be stored, and isn't here.
	Omitted bool

	stored bool // executed just now, and stored
}

// Write answers with s. A replay carries the header Idempotency-Replayed: true,
// and Idempotency-Replay: omitted if its body wasn't stored.
func (s *Stored) Write(w http.ResponseWriter) error {
	h := w.Header()
	for name, values := range s.Header {
		h[name] = values
	}
	if s.Replayed {
		h.Set("Idempotency-Replayed", "true")
	}
	if s.Omitted {
		h.Set("Idempotency-Replay", "omitted")
	}
	w.WriteHeader(s.Status)
	if len(s.Body) == 0 {
		return nil
	}
	_, err := w.Write(s.Body)
	return err
}

// recorder is the http.ResponseWriter that a response is rendered into before
// the commit.
type recorder struct {
	status int
	header http.Header
	body   bytes.Buffer
}

func record(response Response) (*Stored, error) {
	rec := recorder{header: http.Header{}}
	if err := response(&rec); err != nil {
		return nil, err
	}
	rec.WriteHeader(http.StatusOK) // as net/http does when nothing was written
	return &Stored{Status: rec.status, Header: rec.header, Body: rec.body.Bytes()}, nil
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= 200 { // 1xx is not the response yet
		r.status = status
	}
}

func (r *recorder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(p)
}

// storedHeaders are kept for every response, besides those that the spec
// declares for the operation.
var storedHeaders = map[string]bool{
	"Content-Type":        true,
	"Content-Language":    true,
	"Content-Encoding":    true,
	"Content-Disposition": true,
	"Location":            true,
	"Content-Location":    true,
	"Etag":                true,
	"Last-Modified":       true,
	"Link":                true,
}

// neverStored belong to one exchange or to one person, whatever the spec says:
// credentials, the date, and the hop-by-hop headers of RFC 9110, section 7.6.1.
var neverStored = map[string]bool{
	"Set-Cookie":          true,
	"Authorization":       true,
	"Proxy-Authenticate":  true,
	"Proxy-Authorization": true,
	"Www-Authenticate":    true,
	"Authentication-Info": true,
	"Date":                true,
	"Connection":          true,
	"Keep-Alive":          true,
	"Proxy-Connection":    true,
	"Te":                  true,
	"Trailer":             true,
	"Transfer-Encoding":   true,
	"Upgrade":             true,
	"Content-Length":      true,
}

// replayable keeps of h what a replay will have, so that the first answer and
// the replays have the same headers.
func (op *Operation) replayable(h http.Header) http.Header {
	kept := make(http.Header, len(h))
	for name, values := range h {
		if storedHeaders[name] {
			kept[name] = values
		}
	}
	for _, name := range op.ResponseHeaders {
		name = http.CanonicalHeaderKey(name)
		if values, ok := h[name]; ok && !neverStored[name] {
			kept[name] = values
		}
	}
	return kept
}

// toRecord makes the record of an answer, whose headers are already those that
// are kept.
func (s *Stored) toRecord(op *Operation, req *Request, maxBody int64) *Record {
	rec := &Record{
		Fingerprint: req.fingerprint,
		Status:      s.Status,
		Header:      encodeHeader(s.Header),
		TTL:         op.TTL,
	}
	if int64(len(s.Body)) <= maxBody {
		rec.Body = append([]byte{}, s.Body...) // not nil, which means omitted
	}
	return rec
}

// replay is the stored answer to a request that has come again.
func (r *Record) replay(req *Request) (*Stored, error) {
	if !sameRequest(r.Fingerprint, req.fingerprint) {
		return nil, keyReused()
	}
	header, err := decodeHeader(r.Header)
	if err != nil {
		return nil, err
	}
	return &Stored{Status: r.Status, Header: header, Body: r.Body, Replayed: true, Omitted: r.Body == nil}, nil
}
