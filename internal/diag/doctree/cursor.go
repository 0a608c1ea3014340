package doctree

import (
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// cursor turns the YAML library's line and column into an offset. YAML also ends
// lines at a lone CR, NEL, LS and PS, which editors don't, so its line numbers are
// not the user's. Nodes come in document order: the cursor only moves forward,
// which keeps a document written in one line from costing quadratic time.
type cursor struct {
	text      []byte
	off       int
	line, col int // of off, 1-based
}

func newCursor(text []byte) *cursor { return &cursor{text: text, line: 1, col: 1} }

// find returns the offset of a line and column.
func (c *cursor) find(line, col int) int {
	if line < c.line || line == c.line && col < c.col {
		c.off, c.line, c.col = 0, 1, 1
	}
	for c.off < len(c.text) && (c.line < line || c.line == line && c.col < col) {
		r, n := utf8.DecodeRune(c.text[c.off:])
		switch r {
		case '\r':
			if c.off+1 < len(c.text) && c.text[c.off+1] == '\n' {
				n = 2
			}
			fallthrough
		case '\n', '\u0085', '\u2028', '\u2029':
			if c.line == line { // the column lies past the end of its line
				return c.off
			}
			c.line++
			c.col = 1
		default:
			c.col++
		}
		c.off += n
	}
	return c.off
}

// offset returns where n's own text starts, behind its tag and anchor.
func (c *cursor) offset(n *yaml.Node) int {
	off := c.find(n.Line, n.Column)
	if n.Kind == yaml.AliasNode {
		return off
	}
	start := off
	for off < len(c.text) && (c.text[off] == '&' && n.Anchor != "" || c.text[off] == '!' && n.Tag != "") {
		for off < len(c.text) && c.text[off] > ' ' {
			off++
		}
		for off < len(c.text) && c.text[off] <= ' ' {
			off++
		}
	}
	if off >= len(c.text) {
		return start
	}
	return off
}
