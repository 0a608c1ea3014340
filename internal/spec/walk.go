package spec

import (
	"strings"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

const extensionKey = "x-idempotent"

// walker goes once over the document and all that it refers to.
type walker struct {
	doc   *Document
	files *files
	diags *diag.Set

	live   map[*doctree.Node]bool // operations under paths: x-idempotent has an effect
	seen   map[visit]bool
	queue  []visit                    // targets of $refs: a chain of them must not be a chain of calls
	refs   map[string][]*doctree.Node // all $refs, to find those that kin-openapi names
	broken bool                       // kin-openapi would only say again what has been said
}

// visit is a node read as an object of the grammar.
type visit struct {
	node   *doctree.Node
	object string
}

func newWalker(d *Document, diags *diag.Set) *walker {
	return &walker{
		doc: d, files: d.files, diags: diags,
		live: make(map[*doctree.Node]bool),
		seen: make(map[visit]bool),
		refs: make(map[string][]*doctree.Node),
	}
}

// document looks for $refs and for misplaced extensions. Operations come first.
func (w *walker) document() {
	w.walk(w.doc.root, "document")
	for len(w.queue) > 0 {
		v := w.queue[len(w.queue)-1]
		w.queue = w.queue[:len(w.queue)-1]
		w.walk(v.node, v.object)
	}
}

func (w *walker) walk(n *doctree.Node, name string) {
	v := visit{n, name}
	if n == nil || n.Kind != doctree.Map || w.seen[v] {
		return
	}
	w.seen[v] = true
	g := grammar[name]
	if ref := refOf(n); ref != nil && !g.noRef {
		if target := w.follow(ref); target != nil {
			w.queue = append(w.queue, visit{target, name})
		}
	}
	for _, e := range n.Entries {
		key := e.Key.Value
		if c, ok := g.fields[key]; ok {
			w.child(e.Value, c)
			continue
		}
		if key == extensionKey && !w.live[n] {
			w.misplaced(e.Key, name)
		}
		w.goExtension(e)
		if g.rest != nil && !strings.HasPrefix(key, "x-") && key != "$ref" {
			w.child(e.Value, *g.rest)
		}
	}
}

func (w *walker) child(n *doctree.Node, c child) {
	switch c.shape {
	case one:
		w.walk(n, c.object)
	case list:
		for _, item := range n.Items {
			w.walk(item, c.object)
		}
	case named, open:
		for _, e := range n.Entries {
			if c.shape == open && e.Key.Value == extensionKey {
				w.misplaced(e.Key, "components")
				continue
			}
			w.walk(e.Value, c.object)
		}
	case mapping:
		for _, e := range n.Entries {
			// A bare name or a local pointer is no business of kin-openapi's loader.
			if e.Value.Kind == doctree.String && strings.Contains(e.Value.Value, "/") && e.Value.Value[0] != '#' {
				if target := w.follow(e.Value); target != nil {
					w.queue = append(w.queue, visit{target, c.object})
				}
			}
		}
	}
}

func (w *walker) misplaced(key *doctree.Node, name string) {
	hint := "put it into the operation that it is meant for"
	if name == "operation" {
		hint = "the server only serves operations under paths"
	}
	w.diags.Addf(key.Pos(), key.Len(), RulePlace, "%s has no effect %s; %s", extensionKey, grammar[name].phrase, hint)
}
