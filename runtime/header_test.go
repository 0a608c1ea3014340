package runtime

import (
	"bytes"
	"net/http"
	"reflect"
	"testing"
)

func TestHeaderComesBackAsItWas(t *testing.T) {
	for _, h := range []http.Header{
		{},
		{"Content-Type": {"application/json"}},
		{"Content-Type": {"application/json; charset=utf-8"}, "Location": {"/pets/1"}},
		{"Content-Type": {""}, "Etag": {`"a"`, ""}, "X-Own": {"", "b"}},
		{"Link": {"</a>; rel=next", "</b>; rel=prev"}, "Last-Modified": {"Sat, 21 Nov 2026 08:00:00 GMT"}},
	} {
		got, err := decodeHeader(encodeHeader(h))
		if err != nil || !reflect.DeepEqual(got, h) {
			t.Errorf("%v came back as %v, %v", h, got, err)
		}
	}
	if b := encodeHeader(http.Header{"Content-Type": {"application/json"}}); len(b) != 2 {
		t.Errorf("the header that nearly every answer has takes %d bytes", len(b))
	}
}

// FuzzHeader: whatever a record holds, reading it ends, and what can be read is
// written again to mean the same.
func FuzzHeader(f *testing.F) {
	f.Add([]byte{0, 0})
	f.Add([]byte{0, 2, 1, 'a', 1, 'X', 0})
	f.Add([]byte{0, 200, 5})
	f.Add([]byte{0x80, 0, 0}) // an empty name, written long
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := decodeHeader(b)
		if err != nil {
			return
		}
		again, err := decodeHeader(encodeHeader(h))
		if err != nil || !reflect.DeepEqual(again, h) {
			t.Errorf("%q is read as %v, and then as %v, %v", bytes.Clone(b), h, again, err)
		}
	})
}
