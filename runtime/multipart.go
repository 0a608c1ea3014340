package runtime

import (
	"bytes"
	"crypto/sha256"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/textproto"
	"slices"
)

// maxParts is what net/http reads of a multipart form, too. With more, parts
// would cost much more than their bytes.
const maxParts = 1000

const formData = "multipart/form-data"

// RFC 7578, section 4.8: a form's parts have no other headers, or they are
// ignored.
var formDataHeaders = []string{"Content-Disposition", "Content-Transfer-Encoding", "Content-Type"}

// appendMultipart appends a form of the body in which the boundary, which
// changes at each retry, doesn't count: the parts in their order, each with
// its headers and the bytes of its content. It returns false if the body is
// malformed or has too many parts.
func appendMultipart(b []byte, media string, params map[string]string, body []byte) ([]byte, bool) {
	reader := multipart.NewReader(bytes.NewReader(body), params["boundary"])
	delete(params, "boundary")
	b = appendMediaType(append(b, 'm'), media, params)
	content := sha256.New()
	buffer := make([]byte, 4096)
	for range maxParts + 1 {
		part, err := reader.NextRawPart() // as it was sent, even quoted-printable
		// A wrapped EOF is that of a body which ends too early.
		if err == io.EOF {
			return append(b, 'e'), true
		}
		if err != nil {
			return nil, false
		}
		content.Reset()
		if _, err := io.CopyBuffer(content, part, buffer); err != nil {
			return nil, false
		}
		b = appendPartHeader(append(b, 'p'), media, part.Header)
		b = content.Sum(b)
	}
	return nil, false
}

func appendPartHeader(b []byte, media string, h textproto.MIMEHeader) []byte {
	names := formDataHeaders
	if media != formData {
		names = slices.Sorted(maps.Keys(h))
	}
	for _, name := range names {
		values := h[name]
		if len(values) == 0 {
			continue
		}
		b = appendString(append(b, 'h'), name)
		for _, value := range values {
			if media, params, err := mime.ParseMediaType(value); err == nil {
				b = appendMediaType(append(b, 'v'), media, params)
			} else {
				b = appendString(append(b, 'r'), value)
			}
		}
	}
	return append(b, 'e')
}

// appendMediaType appends a value and its parameters, the order and spelling
// of which don't count.
func appendMediaType(b []byte, media string, params map[string]string) []byte {
	b = appendString(b, media)
	for _, name := range slices.Sorted(maps.Keys(params)) {
		b = appendString(append(b, ';'), name)
		b = appendString(b, params[name])
	}
	return append(b, 'e')
}
