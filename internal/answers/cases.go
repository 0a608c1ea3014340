package answers

import "slices"

// maxCases bounds the combinations of alternatives, maxSteps the whole work, and
// maxProblems what is found of one value.
const (
	maxProblems = 10
	maxCases    = 200
	maxSteps    = 20_000
)

// schemas are the named ones of one revision.
type schemas map[string]*node

// cases returns the alternatives that a value can have for which all of list
// hold: each is a list of nodes of which only their own line and their inner
// values count. It is false when there are too many, or when one isn't known.
func (c *Comparison) cases(list []*node, named schemas) ([][]*node, bool) {
	type partial struct{ todo, done []*node }
	open := []partial{{todo: list}}
	var out [][]*node
	for len(open) > 0 {
		p := open[len(open)-1]
		open = open[:len(open)-1]
		if c.steps++; c.steps > maxSteps || len(open)+len(out) > maxCases {
			return nil, false
		}
		if len(p.todo) == 0 {
			if typesOf(p.done) != 0 {
				out = append(out, p.done)
			}
			continue
		}
		n, rest := p.todo[0], p.todo[1:]
		if contains(p.done, n) {
			open = append(open, partial{rest, p.done})
			continue
		}
		if n.plain != nil {
			open = append(open, partial{prepend(n.plain, rest), p.done}, partial{prepend(c.null, rest), p.done})
			continue
		}
		done := slices.Concat(p.done, []*node{n})
		todo := slices.Clone(rest)
		for _, name := range n.Refs {
			target := named[name]
			if target == nil {
				return nil, false
			}
			todo = append(todo, target)
		}
		branches := []partial{{todo, done}}
		for _, alternatives := range n.choices {
			var next []partial
			for _, b := range branches {
				for _, a := range alternatives {
					next = append(next, partial{slices.Concat(b.todo, []*node{a}), done})
				}
			}
			if branches = next; len(branches) > maxCases {
				return nil, false
			}
		}
		open = append(open, branches...)
	}
	return out, true
}

func prepend(n *node, list []*node) []*node { return append([]*node{n}, list...) }

func contains(list []*node, n *node) bool {
	for _, other := range list {
		if other.id == n.id {
			return true
		}
	}
	return false
}

func typesOf(list []*node) kinds {
	k := kinds(isAny)
	for _, n := range list {
		k &= n.types
	}
	return k
}
