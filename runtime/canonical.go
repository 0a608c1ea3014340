package runtime

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

var errJSONUTF8 = errors.New("the body isn't JSON: it isn't UTF-8")

// checkJSON tells whether text is one JSON value, in the words of
// encoding/json, which also bounds the nesting (to 10,000).
func checkJSON(text []byte) error {
	if !utf8.Valid(text) {
		return errJSONUTF8
	}
	if json.Valid(text) {
		return nil
	}
	var value json.RawMessage
	return fmt.Errorf("the body isn't JSON: %w", json.Unmarshal(text, &value))
}

// appendCanonicalJSON appends a form of the JSON text that is the same for two
// texts if and only if they mean the same: white space, the order of members
// and the escapes in strings don't count; the order of elements and the digits
// of numbers, as they were written, do. A member that is there twice is an
// error, since decoders disagree on which counts (RFC 8259, section 4).
//
// Nothing but what the cursors choose counts. What they drop must be JSON too.
//
// An object stands in its parent as the hash of its sorted members. So each
// byte is sorted and hashed once, however deep the nesting.
func appendCanonicalJSON(b, text []byte, cursors []cursor) ([]byte, error) {
	if err := checkJSON(text); err != nil {
		return nil, err
	}
	all := !slices.ContainsFunc(cursors, func(c cursor) bool { return c.role == include })
	c := canonicalizer{text: text, out: slices.Grow(b, len(text)), members: make([]member, 0, 16), scratch: make([]byte, 0, 64)}
	if err := c.value(cursors, all); err != nil {
		return nil, err
	}
	return c.out, nil
}

// canonicalizer walks text that is known to be JSON.
type canonicalizer struct {
	text    []byte
	pos     int
	out     []byte
	found   [][]byte // the texts of the values that cursors look for
	members []member // of all the objects around pos
	hash    hash.Hash
	scratch []byte
}

type member struct {
	name       []byte
	start, end int // of the canonical value in out; the same if it doesn't count
}

// value appends the next value's form if keep is set or a cursor says so, and
// of an object at least the members for which one says so.
func (c *canonicalizer) value(cursors []cursor, keep bool) error {
	c.space()
	base, start := len(c.out), c.pos
	drop := false
	for _, cur := range cursors {
		if cur.rest == "" {
			keep = keep || cur.role == include
			drop = drop || cur.role == exclude
		}
	}
	var err error
	switch c.text[c.pos] {
	case '{':
		err = c.object(cursors, keep)
	case '[':
		err = c.array(keep)
	case '"':
		if raw := c.str(); keep {
			c.out = appendBytes(append(c.out, '"'), unescape(raw))
		}
	default:
		if raw := c.literal(); keep {
			c.out = appendLiteral(c.out, raw)
		}
	}
	if err != nil {
		return err
	}
	if drop {
		c.out = c.out[:base]
	}
	for _, cur := range cursors {
		if cur.rest == "" && cur.role == look {
			c.found[cur.index] = c.text[start:c.pos]
		}
	}
	return nil
}

func (c *canonicalizer) array(keep bool) error {
	if keep {
		c.out = append(c.out, '[')
	}
	c.pos++ // the bracket
	for c.more(']') {
		if err := c.value(nil, keep); err != nil {
			return err
		}
	}
	if keep {
		c.out = append(c.out, ']')
	}
	return nil
}

func (c *canonicalizer) object(cursors []cursor, keep bool) error {
	base, outer := len(c.out), len(c.members)
	c.pos++ // the bracket
	for c.more('}') {
		m := member{name: unescape(c.str()), start: len(c.out)}
		c.space()
		c.pos++ // the colon
		if err := c.value(descend(cursors, m.name), keep); err != nil {
			return err
		}
		m.end = len(c.out)
		c.members = append(c.members, m)
	}
	members := c.members[outer:]
	slices.SortFunc(members, func(a, b member) int { return bytes.Compare(a.name, b.name) })
	for i := 1; i < len(members); i++ {
		if bytes.Equal(members[i].name, members[i-1].name) {
			return fmt.Errorf("the JSON member %.40q is there twice", members[i].name)
		}
	}
	if keep || len(c.out) > base {
		c.sum(members, base)
	}
	c.members = c.members[:outer]
	return nil
}

// sum puts the hash of the members in the place of their values.
func (c *canonicalizer) sum(members []member, base int) {
	if c.hash == nil {
		c.hash = sha256.New()
	}
	c.hash.Reset()
	for _, m := range members {
		if m.start < m.end {
			c.scratch = appendBytes(c.scratch[:0], m.name)
			c.hash.Write(c.scratch)
			c.hash.Write(c.out[m.start:m.end])
		}
	}
	c.out = c.hash.Sum(append(c.out[:base], '{'))
}

// more goes to the next member or element, or past the bracket that ends them.
func (c *canonicalizer) more(closing byte) bool {
	c.space()
	switch c.text[c.pos] {
	case closing:
		c.pos++
		return false
	case ',':
		c.pos++
		c.space()
	}
	return true
}

func (c *canonicalizer) space() {
	for c.pos < len(c.text) && isJSONSpace(c.text[c.pos]) {
		c.pos++
	}
}

// str takes a string and returns what is between its quotes.
func (c *canonicalizer) str() []byte {
	start := c.pos + 1
	for c.pos = start; c.text[c.pos] != '"'; c.pos++ {
		if c.text[c.pos] == '\\' {
			c.pos++
		}
	}
	c.pos++
	return c.text[start : c.pos-1]
}

// literal takes a number, true, false or null.
func (c *canonicalizer) literal() []byte {
	start := c.pos
	for c.pos < len(c.text) {
		switch b := c.text[c.pos]; {
		case b == ',', b == ']', b == '}', isJSONSpace(b):
			return c.text[start:c.pos]
		}
		c.pos++
	}
	return c.text[start:]
}

func appendLiteral(b, raw []byte) []byte {
	switch raw[0] {
	case 'n', 't', 'f':
		return append(b, raw[0])
	}
	return appendBytes(append(b, '#'), raw)
}

func isJSONSpace(b byte) bool {
	return b == ' ' || b == '\t' || b == '\n' || b == '\r'
}

// unescape returns the value of a JSON string, given what is between its
// quotes. Half a surrogate pair, which decoders replace by U+FFFD, becomes the
// three bytes that UTF-8 forbids for it: so no two strings look the same.
func unescape(raw []byte) []byte {
	i := bytes.IndexByte(raw, '\\')
	if i < 0 {
		return raw
	}
	b := make([]byte, 0, len(raw))
	for ; i >= 0; i = bytes.IndexByte(raw, '\\') {
		b = append(b, raw[:i]...)
		c := raw[i+1]
		raw = raw[i+2:]
		switch c {
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 't':
			b = append(b, '\t')
		case 'u':
			var r rune
			r, raw = cutUnicode(raw)
			b = appendCodePoint(b, r)
		default: // a quote, a backslash or a slash
			b = append(b, c)
		}
	}
	return append(b, raw...)
}

// cutUnicode takes the digits after a \u, and a second half with its \u.
func cutUnicode(raw []byte) (rune, []byte) {
	r := hex4(raw)
	raw = raw[4:]
	if len(raw) >= 6 && raw[0] == '\\' && raw[1] == 'u' {
		if pair := utf16.DecodeRune(r, hex4(raw[2:])); pair != utf8.RuneError {
			return pair, raw[6:]
		}
	}
	return r, raw
}

func hex4(raw []byte) rune {
	unit, _ := strconv.ParseUint(string(raw[:4]), 16, 16) // the text is JSON
	return rune(unit)
}

func appendCodePoint(b []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(b, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
	}
	return utf8.AppendRune(b, r)
}

// appendBytes is appendString for bytes.
func appendBytes(b, s []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
