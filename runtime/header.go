package runtime

import (
	"encoding/binary"
	"errors"
	"net/http"
	"slices"
)

// commonHeaders are written as one byte instead of their text, which is most of
// what a small record holds. An entry without a value stands for the name only.
// Records that exist know them by their place: new ones go to the end.
var commonHeaders = []struct{ name, value string }{
	{"Content-Type", "application/json"},
	{"Content-Type", "application/problem+json"},
	{"Content-Type", ""},
	{"Location", ""},
	{"Etag", ""},
	{"Last-Modified", ""},
	{"Link", ""},
}

// encodeHeader writes name and value pairs, sorted by name: the bytes come
// back as they were. Each text has its length in front; 0, which no name has as
// its length, goes before the place of a common header.
func encodeHeader(h http.Header) []byte {
	names := make([]string, 0, len(h))
	size := 0
	for name, values := range h {
		names = append(names, name)
		for _, value := range values {
			size += len(name) + len(value) + 4
		}
	}
	slices.Sort(names)
	b := make([]byte, 0, size)
	for _, name := range names {
		for _, value := range h[name] {
			b = appendPair(b, name, value)
		}
	}
	return b
}

func appendPair(b []byte, name, value string) []byte {
	for i, common := range commonHeaders {
		switch {
		case common.name != name:
		case common.value == value && value != "":
			return append(b, 0, byte(i))
		case common.value == "":
			return appendString(append(b, 0, byte(i)), value)
		}
	}
	return appendString(appendString(b, name), value)
}

func decodeHeader(b []byte) (http.Header, error) {
	h := http.Header{}
	for len(b) > 0 {
		name, value, rest, ok := cutPair(b)
		if !ok {
			return nil, errBadHeader
		}
		h[name] = append(h[name], value)
		b = rest
	}
	return h, nil
}

func cutPair(b []byte) (name, value string, rest []byte, ok bool) {
	if b[0] == 0 {
		if len(b) < 2 || int(b[1]) >= len(commonHeaders) {
			return "", "", nil, false
		}
		common := commonHeaders[b[1]]
		if name, value, rest = common.name, common.value, b[2:]; value != "" {
			return name, value, rest, true
		}
	} else if name, rest, ok = cutString(b); !ok || name == "" {
		return "", "", nil, false
	}
	value, rest, ok = cutString(rest)
	return name, value, rest, ok
}

var errBadHeader = errors.New("the stored headers are damaged")

// appendString appends s with its length in front, which keeps what is made
// of several strings unambiguous.
func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func cutString(b []byte) (s string, rest []byte, ok bool) {
	n, used := binary.Uvarint(b)
	if used <= 0 || n > uint64(len(b)-used) {
		return "", nil, false
	}
	end := used + int(n)
	return string(b[used:end]), b[end:], true
}
