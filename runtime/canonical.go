package runtime

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxJSONDepth is encoding/json's own limit for the values that it decodes.
const maxJSONDepth = 10000

var (
	errJSONUTF8     = errors.New("the JSON body isn't UTF-8")
	errJSONTrailing = errors.New("something follows the JSON value")
	errJSONDepth    = errors.New("the JSON body is nested too deeply")
)

// appendCanonicalJSON appends a form of the JSON text that is the same for two
// texts if and only if they mean the same: white space, the order of members
// and the escapes in strings don't count; the order of elements and the digits
// of numbers, as they were written, do. A member that is there twice is an
// error, since decoders disagree on which counts (RFC 8259, section 4).
//
// An object stands in its parent as the hash of its sorted members. So each
// byte is sorted and hashed once, however deep the nesting.
func appendCanonicalJSON(b, text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return nil, errJSONUTF8
	}
	c := canonicalizer{text: text, dec: json.NewDecoder(bytes.NewReader(text)), out: b}
	c.dec.UseNumber()
	if err := c.value(0); err != nil {
		return nil, err
	}
	if _, err := c.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errJSONTrailing
	}
	return c.out, nil
}

type canonicalizer struct {
	text []byte
	dec  *json.Decoder
	out  []byte
}

func (c *canonicalizer) value(depth int) error {
	if depth > maxJSONDepth {
		return errJSONDepth
	}
	start := c.dec.InputOffset()
	token, err := c.dec.Token()
	if err != nil {
		return fmt.Errorf("the body isn't JSON: %w", err)
	}
	switch v := token.(type) {
	case nil:
		c.out = append(c.out, 'n')
	case bool:
		if v {
			c.out = append(c.out, 't')
		} else {
			c.out = append(c.out, 'f')
		}
	case json.Number:
		c.out = appendString(append(c.out, '#'), string(v))
	case string:
		c.out = appendString(append(c.out, '"'), c.spelling(v, start))
	case json.Delim:
		if v == '[' {
			return c.array(depth)
		}
		return c.object(depth)
	}
	return nil
}

func (c *canonicalizer) array(depth int) error {
	c.out = append(c.out, '[')
	for c.dec.More() {
		if err := c.value(depth + 1); err != nil {
			return err
		}
	}
	c.out = append(c.out, ']')
	return c.end()
}

func (c *canonicalizer) object(depth int) error {
	type member struct {
		name       string
		start, end int // of the canonical value in out
	}
	var members []member
	base := len(c.out)
	for c.dec.More() {
		at := c.dec.InputOffset()
		token, err := c.dec.Token()
		if err != nil {
			return fmt.Errorf("the body isn't JSON: %w", err)
		}
		name, _ := token.(string) // the decoder takes nothing else for a name
		m := member{name: c.spelling(name, at), start: len(c.out)}
		if err := c.value(depth + 1); err != nil {
			return err
		}
		m.end = len(c.out)
		members = append(members, m)
	}
	if err := c.end(); err != nil {
		return err
	}
	slices.SortFunc(members, func(a, b member) int { return cmp.Compare(a.name, b.name) })
	hash := sha256.New()
	var name []byte
	for i, m := range members {
		if i > 0 && m.name == members[i-1].name {
			return fmt.Errorf("the JSON member %q is there twice", m.name)
		}
		name = appendString(name[:0], m.name)
		hash.Write(name)
		hash.Write(c.out[m.start:m.end])
	}
	c.out = hash.Sum(append(c.out[:base], '{'))
	return nil
}

// end takes the bracket that closes an array or an object.
func (c *canonicalizer) end() error {
	if _, err := c.dec.Token(); err != nil {
		return fmt.Errorf("the body isn't JSON: %w", err)
	}
	return nil
}

// spelling is a string's value, or, for one with half of a surrogate pair, its
// text as it was sent: the decoder replaces each such half by U+FFFD, and two
// different strings would look the same.
func (c *canonicalizer) spelling(value string, start int64) string {
	if !strings.ContainsRune(value, utf8.RuneError) {
		return value
	}
	text := c.text[start:c.dec.InputOffset()]
	return string(text[bytes.IndexByte(text, '"'):])
}
