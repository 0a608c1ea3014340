package spec

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// maxCases bounds the combinations of anyOf and oneOf.
const maxCases = 1000

// alternative is a set of schemas that hold at once. Their own allOf, anyOf, oneOf
// and $ref have been resolved: what counts is their other keywords.
type alternative []*doctree.Node

// cases returns the alternatives of values for which all the schemas hold. It is
// false when they can't be told: a $ref leads nowhere, or there are too many.
func (w *walker) cases(schemas []*doctree.Node) ([]alternative, bool) {
	e := expansion{w: w, open: make(map[*doctree.Node]bool)}
	out := []alternative{nil}
	for _, s := range schemas {
		out = e.product(out, e.schema(s))
	}
	return out, !e.failed
}

type expansion struct {
	w      *walker
	open   map[*doctree.Node]bool // being expanded: a schema within itself adds nothing
	steps  int
	failed bool
}

// maxSteps bounds the work on one schema: $refs can fan out.
const maxSteps = 10_000

func (e *expansion) schema(n *doctree.Node) []alternative {
	if e.steps++; n == nil || e.steps > maxSteps {
		e.failed = true
	}
	if e.open[n] || e.failed {
		return []alternative{nil}
	}
	e.open[n] = true
	defer delete(e.open, n)
	out := []alternative{{n}}
	if ref := refOf(n); ref != nil {
		target := e.schema(e.w.local(ref, 0))
		if strings.HasPrefix(e.w.doc.Version, "3.0") {
			return target // siblings of $ref mean nothing there
		}
		out = e.product(out, target)
	}
	for _, part := range listOf(n, "allOf") {
		out = e.product(out, e.schema(part))
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		parts := listOf(n, keyword)
		if len(parts) == 0 {
			continue
		}
		var either []alternative
		for _, part := range parts {
			either = append(either, e.schema(part)...)
		}
		out = e.product(out, either)
	}
	return out
}

func (e *expansion) product(a, b []alternative) []alternative {
	if e.failed = e.failed || len(a)*len(b) > maxCases; e.failed {
		return a
	}
	var out []alternative
	for _, x := range a {
		for _, y := range b {
			out = append(out, slices.Concat(x, y))
		}
	}
	return out
}

func listOf(n *doctree.Node, keyword string) []*doctree.Node {
	if v := n.Get(keyword); v != nil {
		return v.Items
	}
	return nil
}

// property returns the schemas that the alternative has for a property of an
// object, where it is declared first, and whether it is required.
func (a alternative) property(name string) (schemas alternative, key *doctree.Node, required bool) {
	for _, s := range a {
		if p := s.Get("properties").Entry(name); p != nil {
			schemas = append(schemas, p.Value)
			if key == nil {
				key = p.Key
			}
		}
		required = required || slices.ContainsFunc(listOf(s, "required"), func(n *doctree.Node) bool { return n.Value == name })
	}
	return schemas, key, required
}

// properties names all properties.
func (a alternative) properties() []string {
	var names []string
	for _, s := range a {
		if p := s.Get("properties"); p != nil {
			for _, e := range p.Entries {
				names = append(names, e.Key.Value)
			}
		}
	}
	return names
}
