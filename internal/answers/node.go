package answers

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/lock"
)

// node is a recorded schema, read back.
type node struct {
	id   int
	name string   // of a named schema's root
	refs []string // of a root: all names that its lines refer to
	line
	types      kinds
	members    map[string]*node
	items      *node
	additional *node
	choices    [][]*node
	plain      *node // of a nullable one: the same without null
}

// kinds is a set of JSON types.
type kinds int

const (
	isNull kinds = 1 << iota
	isBoolean
	isInteger
	isFraction
	isString
	isArray
	isObject
	isAny = 1<<iota - 1
)

var kindsOf = map[string]kinds{
	"null": isNull, "boolean": isBoolean, "integer": isInteger, "number": isInteger | isFraction,
	"string": isString, "array": isArray, "object": isObject,
}

func (k kinds) String() string {
	var names []string
	for _, name := range []string{"array", "boolean", "number", "integer", "object", "string", "null"} {
		if all := kindsOf[name]; k&all == all && (name != "integer" || k&isFraction == 0) {
			names = append(names, name)
		}
	}
	switch {
	case k == isAny:
		return "anything"
	case len(names) == 0:
		return "nothing"
	}
	return strings.Join(names, "|")
}

// tree reads the lines of one schema. The error names a line that isn't one.
func (c *Comparison) tree(lines lock.Schema) (*node, error) {
	root := c.node()
	for _, at := range slices.Sorted(maps.Keys(lines)) {
		n := root
		if steps, ok := strings.CutPrefix(at, "/"); ok {
			for step := range strings.SplitSeq(steps, "/") {
				n = c.step(n, step)
			}
		}
		l, err := parseLine(lines[at])
		if err != nil {
			return nil, err
		}
		n.set(l)
		root.refs = append(root.refs, l.Refs...)
	}
	c.finish(root)
	return root, nil
}

func (c *Comparison) node() *node {
	c.ids++
	return &node{id: c.ids, types: isAny, members: map[string]*node{}}
}

func (n *node) set(l line) {
	n.line = l
	if l.Types != nil {
		n.types = 0
		for _, t := range l.Types {
			n.types |= kindsOf[t]
		}
	}
}

// alternativeStep is the name of an alternative among the members, until finish.
const alternativeStep = "("

func (c *Comparison) step(n *node, step string) *node {
	switch step {
	case itemStep:
		if n.items == nil {
			n.items = c.node()
		}
		return n.items
	case otherStep:
		if n.additional == nil {
			n.additional = c.node()
		}
		return n.additional
	}
	if n.members[step] == nil {
		n.members[step] = c.node()
	}
	return n.members[step]
}

// finish sorts the alternatives out of the members, and prepares nullables.
func (c *Comparison) finish(n *node) {
	next := 0
	for _, group := range n.Choices {
		var alternatives []*node
		for range group.Count {
			step := alternativeStep + strconv.Itoa(next) + ")"
			next++
			if a := n.members[step]; a != nil {
				alternatives = append(alternatives, a)
				c.finish(a)
				delete(n.members, step)
			}
		}
		if alternatives != nil {
			n.choices = append(n.choices, alternatives)
		}
	}
	for _, inner := range n.members {
		c.finish(inner)
	}
	for _, inner := range []*node{n.items, n.additional} {
		if inner != nil {
			c.finish(inner)
		}
	}
	if n.Nullable {
		c.ids++
		plain := *n
		plain.id, plain.Nullable = c.ids, false
		plain.types &^= isNull
		n.plain = &plain
	}
}

// bare tells whether the node is one reference and nothing else.
func (n *node) bare() bool {
	return len(n.Refs) == 1 && reflect.DeepEqual(n.line, line{Refs: n.Refs, Required: n.Required}) &&
		len(n.members) == 0 && n.items == nil && n.additional == nil
}
