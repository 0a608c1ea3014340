package overlay

import (
	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// update merges e's value into all that was found, which must be of one sort: all
// mappings, all lists, or all plain values.
func (t *tree) update(a *action, found []*yaml.Node, e doctree.Entry) {
	for _, v := range found {
		if v.Kind != found[0].Kind {
			first, other := t.origin(found[0]), t.origin(v)
			t.diags.Addf(a.target.node.Pos(), a.target.node.Len(), RuleTarget, "target selects %s at %s and %s at %s; an update takes one sort of value, so split the action",
				first.Kind, first.Pos(), other.Kind, other.Pos())
			return
		}
	}
	for _, v := range found {
		merged := false
		if v.Kind == yaml.SequenceNode && e.Value.Kind != doctree.Seq {
			merged = t.add(v, e.Value)
		} else {
			merged = t.merge(v, e)
		}
		if !merged {
			return // what is wrong with it was said
		}
	}
}

// merge merges e's value into what stands at its place: mappings merge, lists grow,
// plain values are replaced. Nothing else fits.
func (t *tree) merge(v *yaml.Node, e doctree.Entry) bool {
	switch {
	case v.Kind == yaml.MappingNode && e.Value.Kind == doctree.Map:
		return t.mergeMapping(v, e.Value)
	case v.Kind == yaml.SequenceNode && e.Value.Kind == doctree.Seq:
		for _, item := range e.Value.Items {
			if !t.add(v, item) {
				return false
			}
		}
		return true
	case v.Kind == yaml.ScalarNode && e.Value.Kind != doctree.Map && e.Value.Kind != doctree.Seq:
		if !t.room(e.Value, v.Column) {
			return false
		}
		*v = *t.view(e.Value, v.Column)
		return true
	}
	at := e.Value
	if at.Len() == 0 {
		at = e.Key
	}
	was := t.origin(v)
	t.diags.Addf(at.Pos(), at.Len(), RuleMerge, "%s is %s here, but %s at %s; to put another sort of value there, remove the old one first",
		e.Key.Value, e.Value.Kind, was.Kind, was.Pos())
	return false
}

func (t *tree) mergeMapping(v *yaml.Node, update *doctree.Node) bool {
	have := make(map[string]*yaml.Node, len(v.Content)/2)
	for i := 0; i < len(v.Content); i += 2 {
		have[v.Content[i].Value] = v.Content[i+1]
	}
	for _, e := range update.Entries {
		if old := have[e.Key.Value]; old != nil {
			if !t.merge(old, e) {
				return false
			}
			continue
		}
		if !t.room(e.Value, v.Column+1) {
			return false
		}
		v.Content = append(v.Content, t.view(e.Key, v.Column), t.view(e.Value, v.Column+1))
	}
	return true
}

// add appends an item to a list.
func (t *tree) add(list *yaml.Node, item *doctree.Node) bool {
	if !t.room(item, list.Column+1) {
		return false
	}
	list.Content = append(list.Content, t.view(item, list.Column+1))
	return true
}

// room says whether n can stand at that depth without making the document too
// large or too deep for what reads it next.
func (t *tree) room(n *doctree.Node, depth int) bool {
	t.added += n.Size()
	switch {
	case t.added > doctree.MaxExpanded:
		t.diags.Addf(n.Pos(), n.Len(), RuleLimit, "overlays add more than %d nodes", doctree.MaxExpanded)
	case depth+n.Height()-1 > doctree.MaxDepth:
		t.diags.Addf(n.Pos(), n.Len(), RuleLimit, "this makes the document nested more than %d levels deep", doctree.MaxDepth)
	default:
		return true
	}
	t.full = true
	return false
}
