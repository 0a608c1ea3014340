package spec

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// line is what a line of the normal form shows.
type line struct {
	key   *doctree.Node // nil in lists
	value *doctree.Node
}

// normal returns the file as kin-openapi gets it: aliases, merge keys and number
// formats resolved, one key or item per line. So kin-openapi reads what we have
// checked and nothing else, and the lines that it names lead back to the user's file, be
// it YAML or JSON, which by itself would have no positions at all.
func (s *source) normal() ([]byte, []line) {
	s.once.Do(func() {
		var n normalizer
		if s.root != nil {
			n.lines = append(n.lines, line{nil, s.root})
			n.value(s.root)
		}
		// kin-openapi tries JSON first, which has no origins. The comment makes it YAML.
		n.b.WriteString("\n#\n")
		s.text, s.lines = n.b.Bytes(), n.lines
	})
	return s.text, s.lines
}

type normalizer struct {
	b     bytes.Buffer
	lines []line
}

func (z *normalizer) value(n *doctree.Node) {
	switch n.Kind {
	case doctree.Map:
		z.b.WriteByte('{')
		for _, e := range n.Entries {
			z.newline(e.Key, e.Value)
			z.key(e.Key.Value)
			z.value(e.Value)
			z.b.WriteByte(',')
		}
		z.b.WriteByte('}')
	case doctree.Seq:
		z.b.WriteByte('[')
		for _, item := range n.Items {
			z.newline(nil, item)
			z.value(item)
			z.b.WriteByte(',')
		}
		z.b.WriteByte(']')
	case doctree.String:
		z.quote(n.Value)
	case doctree.Null:
		z.b.WriteString("null")
	default:
		z.b.WriteString(n.JSON())
	}
}

func (z *normalizer) newline(key, value *doctree.Node) {
	z.b.WriteByte('\n')
	z.lines = append(z.lines, line{key, value})
}

// key writes a key; YAML has the long ones behind a question mark.
func (z *normalizer) key(s string) {
	if len(s) < 150 {
		z.quote(s)
		z.b.WriteString(": ")
		return
	}
	z.b.WriteString("? ")
	z.quote(s)
	z.b.WriteString(" : ")
}

// quote writes a string as both JSON and YAML read it.
func (z *normalizer) quote(s string) {
	z.b.WriteByte('"')
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '"' || r == '\\':
			z.b.WriteByte('\\')
			z.b.WriteRune(r)
		case r < ' ' || r >= 0x7f && r <= 0xa0 || r == 0x2028 || r == 0x2029 || r >= 0xfdd0 && r <= 0xfdef || r >= 0xfeff && r <= 0xffff && r != utf8.RuneError:
			fmt.Fprintf(&z.b, `\u%04x`, r)
		case r&0xfffe == 0xfffe && r > 0xffff:
			fmt.Fprintf(&z.b, `\U%08x`, r) // YAML only; JSON is not tried on this text
		default:
			z.b.WriteRune(r)
		}
		i += n
	}
	z.b.WriteByte('"')
}
