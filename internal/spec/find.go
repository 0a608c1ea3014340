package spec

import (
	"github.com/getkin/kin-openapi/openapi3"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// Find returns where a node stands and how many characters to underline, by the
// keys and indices that lead to it from the root, such as
// "paths", "/pets", "post", "operationId". A scalar stands at its value, a
// mapping or list at its key. $refs on the way are followed.
func (d *Document) Find(path ...string) (diag.Pos, int, bool) {
	if d.root == nil {
		return diag.Pos{File: d.File}, 0, false
	}
	w := &walker{doc: d, files: d.files}
	n := d.root
	var key *doctree.Node
	for _, token := range path {
		key = nil
		next := step(n, token)
		for hops := 0; next == nil && hops < maxHops; hops++ {
			ref := refOf(n)
			if ref == nil {
				break
			}
			n = w.local(ref, hops)
			next = step(n, token)
		}
		if next == nil {
			return diag.Pos{File: d.File}, 0, false
		}
		if e := n.Entry(token); e != nil {
			key = e.Key
		}
		n = next
	}
	pos, length := place(key, n)
	return pos, length, true
}

// place is where to point at for a value and its key, if it has one.
func place(key, value *doctree.Node) (diag.Pos, int) {
	if key != nil && value.Len() == 0 {
		return key.Pos(), key.Len()
	}
	return value.Pos(), value.Len()
}

// At translates a location of the document that OpenAPI returns, whose lines are
// not those of the user's file.
func (d *Document) At(loc openapi3.Location) (diag.Pos, int, bool) {
	l, ok := d.line(loc)
	if !ok {
		return diag.Pos{File: d.File}, 0, false
	}
	if l.key != nil {
		return l.key.Pos(), l.key.Len(), true
	}
	return l.value.Pos(), l.value.Len(), true
}

func (d *Document) line(loc openapi3.Location) (line, bool) {
	src := d.files.at(loc.File)
	if src == nil || loc.Line < 1 {
		return line{}, false
	}
	if _, lines := src.normal(); loc.Line <= len(lines) {
		return lines[loc.Line-1], true
	}
	return line{}, false
}
