package overlay

import (
	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// tree is the document while it is changed, as nodes of the library that finds
// targets. A node's Line is the number of the node that it stands for, and its
// Column is its depth: what they mean otherwise has no use here.
type tree struct {
	root    *yaml.Node
	origins []*doctree.Node
	added   int  // nodes that overlays brought
	full    bool // a limit was hit
	diags   *diag.Set
}

func newTree(root *doctree.Node, diags *diag.Set) *tree {
	t := &tree{diags: diags}
	t.root = t.view(root, 1)
	return t
}

var tags = map[doctree.Kind]string{
	doctree.Null: "!!null", doctree.Bool: "!!bool", doctree.Int: "!!int", doctree.Float: "!!float",
	doctree.String: "!!str", doctree.Seq: "!!seq", doctree.Map: "!!map",
}

// view makes nodes of their own for a subtree, so that a change at one place is none
// at another, also where the file had aliases.
func (t *tree) view(n *doctree.Node, depth int) *yaml.Node {
	v := &yaml.Node{Kind: yaml.ScalarNode, Tag: tags[n.Kind], Value: n.Value, Line: len(t.origins), Column: depth}
	t.origins = append(t.origins, n)
	switch n.Kind {
	case doctree.Map:
		v.Kind = yaml.MappingNode
		v.Content = make([]*yaml.Node, 0, 2*len(n.Entries))
		for _, e := range n.Entries {
			v.Content = append(v.Content, t.view(e.Key, depth), t.view(e.Value, depth+1))
		}
	case doctree.Seq:
		v.Kind = yaml.SequenceNode
		v.Content = make([]*yaml.Node, 0, len(n.Items))
		for _, item := range n.Items {
			v.Content = append(v.Content, t.view(item, depth+1))
		}
	case doctree.Null:
		v.Value = "null"
	case doctree.Bool, doctree.Int, doctree.Float:
		v.Value = n.JSON()
	default: // a string is its text
	}
	return v
}

func (t *tree) origin(v *yaml.Node) *doctree.Node { return t.origins[v.Line] }

// result is the subtree as it has become. What did not change is what it was.
func (t *tree) result(v *yaml.Node) *doctree.Node {
	from := t.origin(v)
	switch v.Kind {
	case yaml.MappingNode:
		same := len(v.Content) == 2*len(from.Entries)
		entries := make([]doctree.Entry, 0, len(v.Content)/2)
		for i := 0; i < len(v.Content); i += 2 {
			e := doctree.Entry{Key: t.origin(v.Content[i]), Value: t.result(v.Content[i+1])}
			same = same && from.Entries[i/2] == e
			entries = append(entries, e)
		}
		if !same {
			return from.WithEntries(entries)
		}
	case yaml.SequenceNode:
		same := len(v.Content) == len(from.Items)
		items := make([]*doctree.Node, 0, len(v.Content))
		for i, c := range v.Content {
			item := t.result(c)
			same = same && from.Items[i] == item
			items = append(items, item)
		}
		if !same {
			return from.WithItems(items)
		}
	default: // plain values are only ever replaced
	}
	return from
}

// remove takes out all that was found.
func (t *tree) remove(at *target, found []*yaml.Node) {
	gone := make(map[*yaml.Node]bool, len(found))
	for _, v := range found {
		gone[v] = true
	}
	if gone[t.root] {
		t.diags.Addf(at.node.Pos(), at.node.Len(), RuleTarget, "target: this would remove the whole document")
		return
	}
	prune(t.root, gone)
}

func prune(v *yaml.Node, gone map[*yaml.Node]bool) {
	step := 1
	if v.Kind == yaml.MappingNode {
		step = 2
	}
	kept := v.Content[:0]
	for i := 0; i < len(v.Content); i += step {
		value := v.Content[i+step-1]
		if gone[value] {
			continue
		}
		prune(value, gone)
		kept = append(kept, v.Content[i:i+step]...)
	}
	v.Content = kept
}
