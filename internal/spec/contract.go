package spec

import "github.com/idemgen/idemgen/internal/diag/doctree"

// contracts checks what the extensions say against the rest of the document, and
// fills in what the document says of the same things. $refs that lead nowhere
// have been reported before.
func (w *walker) contracts() {
	for _, o := range w.doc.Operations {
		if o.Idempotent == nil {
			continue
		}
		params := w.parameters(o)
		w.scope(o, params)
		w.keyParameter(o, params)
		w.pointers(o)
		w.responseHeaders(o)
	}
}

// parameter is a declared parameter of an operation.
type parameter struct {
	name, in string
	node     *doctree.Node
	place    *doctree.Node // its $ref, or else its name
}

// parameters lists those of the operation, then those of its path item that it
// doesn't replace.
func (w *walker) parameters(o *Operation) []parameter {
	var list []parameter
	seen := make(map[[2]string]bool)
	for _, level := range []*doctree.Node{o.node.Get("parameters"), o.shared} {
		if level == nil {
			continue
		}
		for _, item := range level.Items {
			n := w.target(item)
			name, in := n.Get("name"), n.Get("in")
			if name == nil || in == nil {
				continue // kin-openapi's to judge
			}
			id := [2]string{name.Value, in.Value}
			if seen[id] {
				continue
			}
			seen[id] = true
			p := parameter{name: name.Value, in: in.Value, node: n, place: name}
			if ref := refOf(item); ref != nil {
				p.place = ref
			}
			list = append(list, p)
		}
	}
	return list
}

// target follows $refs to what they stand for, nil when that isn't known.
func (w *walker) target(n *doctree.Node) *doctree.Node {
	for hops := range maxHops {
		ref := refOf(n)
		if ref == nil {
			return n
		}
		n = w.local(ref, hops)
	}
	return nil
}
