// Package overlay applies OpenAPI Overlay documents (1.0 and 1.1) to a document.
// What comes out is a tree whose nodes still know which file they are from. It does
// no I/O.
package overlay

import (
	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// Overlay is an overlay document that was read.
type Overlay struct {
	Extends *doctree.Node // nil when absent

	actions []action
}

// action is one change. Exactly one of update, copy and remove is set.
type action struct {
	target *target
	update *doctree.Entry
	copy   *target
	remove bool
}

// Apply applies overlays one after the other, and returns what becomes of root,
// which doesn't change. It goes on after an action that fails, so that all of
// them are reported.
func Apply(root *doctree.Node, overlays []*Overlay, diags *diag.Set) *doctree.Node {
	t := newTree(root, diags)
	for _, o := range overlays {
		for i := range o.actions {
			if t.full {
				return root
			}
			t.apply(&o.actions[i])
		}
	}
	return t.result(t.root)
}

func (t *tree) apply(a *action) {
	found := t.find(a.target)
	if len(found) == 0 {
		return
	}
	switch {
	case a.remove:
		t.remove(a.target, found)
	case a.copy != nil:
		if from := t.find(a.copy); len(from) > 1 {
			t.diags.Addf(a.copy.node.Pos(), a.copy.node.Len(), RuleTarget, "copy selects %d places; it must be one", len(from))
		} else if len(from) == 1 {
			t.update(a, found, doctree.Entry{Key: a.copy.node, Value: t.result(from[0])})
		}
	default:
		t.update(a, found, *a.update)
	}
}
