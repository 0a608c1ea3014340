package answers

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/lock"
)

// Problem is one reason for which stored answers may not satisfy a new schema.
type Problem struct {
	// At is where in the answer: a JSON pointer, [] standing for all items of a
	// list and {} for all other properties. It is empty for the answer itself.
	At string
	// Text says what changed there.
	Text string
}

const unreadable = "can't be compared: the lock has a schema that this idemgen can't read: "

// Unreadable says that it isn't about the schemas, but about their lines.
func (p Problem) Unreadable() bool { return strings.HasPrefix(p.Text, unreadable) }

func (p Problem) String() string {
	if p.At == "" {
		return "the answer " + p.Text
	}
	return fmt.Sprintf("%q %s", p.At, p.Text)
}

// comparison is that of two revisions.
type comparison struct {
	old, new schemas
	null     *node // and any: values that no schema describes
	any      *node
	same     map[string]bool // names that stand for the same in both
	ids      int
	steps    int
	found    map[string][]Problem // by pair; empty while it is compared
}

// Compare says why a value that satisfied the old schema may not satisfy the
// new one. What can't be told is a problem, too.
func Compare(old, new lock.Schema, oldSchemas, newSchemas map[string]lock.Schema) []Problem {
	oldSchemas, newSchemas = reachable(old, oldSchemas), reachable(new, newSchemas)
	if reflect.DeepEqual(old, new) && reflect.DeepEqual(oldSchemas, newSchemas) {
		return nil
	}
	c := &comparison{same: same(oldSchemas, newSchemas), found: map[string][]Problem{}}
	c.null, c.any = c.node(), c.node()
	c.null.types = isNull
	var oldRoot, newRoot *node
	for _, load := range []func() error{
		func() (err error) { c.old, err = c.all(oldSchemas); return },
		func() (err error) { c.new, err = c.all(newSchemas); return },
		func() (err error) { oldRoot, err = c.tree(old); return },
		func() (err error) { newRoot, err = c.tree(new); return },
	} {
		if err := load(); err != nil {
			return []Problem{{"", unreadable + err.Error()}}
		}
	}
	return unique(c.satisfies([]*node{oldRoot}, newRoot, ""))
}

// reachable are the named schemas that lines refer to, directly or not.
func reachable(lines lock.Schema, named map[string]lock.Schema) map[string]lock.Schema {
	found := map[string]lock.Schema{}
	todo := []lock.Schema{lines}
	for len(todo) > 0 {
		lines, todo = todo[0], todo[1:]
		for _, text := range lines {
			l, err := parseLine(text)
			if err != nil {
				continue // reported by tree
			}
			for _, name := range l.Refs {
				if target, ok := named[name]; ok && found[name] == nil {
					found[name] = target
					todo = append(todo, target)
				}
			}
		}
	}
	return found
}

// same finds the names whose schemas are equal with all that they refer to.
func same(old, new map[string]lock.Schema) map[string]bool {
	equal := map[string]bool{}
	for name, lines := range new {
		equal[name] = reflect.DeepEqual(lines, old[name]) && reflect.DeepEqual(reachable(lines, old), reachable(lines, new))
	}
	return equal
}

func (c *comparison) all(list map[string]lock.Schema) (schemas, error) {
	named := schemas{}
	for name, lines := range list {
		n, err := c.tree(lines)
		if err != nil {
			return nil, err
		}
		n.name = name
		named[name] = n
	}
	return named, nil
}

func unique(problems []Problem) []Problem {
	var out []Problem
	for _, p := range problems {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// satisfies compares all that holds of an old value with one new schema.
func (c *comparison) satisfies(old []*node, new *node, at string) []Problem {
	new = resolved(new, c.new)
	old = slices.Clone(old)
	for i := range old {
		old[i] = resolved(old[i], c.old)
	}
	key := pair(old, new)
	if found, ok := c.found[key]; ok {
		return found
	}
	if name := new.name; len(old) == 1 && name != "" && old[0].name == name && c.same[name] {
		return nil
	}
	c.found[key] = nil // a value within itself adds nothing
	problems := c.satisfiesAny(old, new, at)
	c.found[key] = problems
	return problems
}

// resolved is what a node stands for that is nothing but a reference.
func resolved(n *node, named schemas) *node {
	for range len(named) {
		if !n.bare() || named[n.Refs[0]] == nil {
			break
		}
		n = named[n.Refs[0]]
	}
	return n
}

func pair(old []*node, new *node) string {
	ids := make([]int, len(old))
	for i, n := range old {
		ids[i] = n.id
	}
	slices.Sort(ids)
	return fmt.Sprint(ids, new.id)
}

func (c *comparison) satisfiesAny(old []*node, new *node, at string) []Problem {
	oldCases, ok := c.cases(old, c.old)
	newCases, ok2 := c.cases([]*node{new}, c.new)
	if !ok || !ok2 {
		return []Problem{{at, "can't be compared: it has too many alternatives, or a $ref that isn't known"}}
	}
	var problems []Problem
	for _, o := range oldCases {
		var best []Problem
		for i, n := range newCases {
			if found := c.within(o, n, at); i == 0 || len(found) < len(best) {
				best = found
			}
			if len(best) == 0 {
				break
			}
		}
		switch {
		case len(newCases) == 0:
			problems = append(problems, Problem{at, "has no value any more"})
		case len(best) > 0 && len(newCases) > 1 && typesOf(o) == isNull:
			problems = append(problems, Problem{at, "can't be null any more"})
		case len(best) > 0 && len(newCases) > 1:
			problems = append(problems, Problem{at, "can be what none of the alternatives is now"})
		default:
			problems = append(problems, best...)
		}
	}
	return problems
}

// within compares two cases: all nodes of each hold.
func (c *comparison) within(old, new []*node, at string) []Problem {
	if c.steps++; c.steps > maxSteps {
		return []Problem{{at, "can't be compared: its schema is too large"}}
	}
	var problems []Problem
	add := func(format string, args ...any) {
		problems = append(problems, Problem{at, fmt.Sprintf(format, args...)})
	}
	have, want := effective(old), typesOf(new)
	if wrong := have &^ want; wrong != 0 {
		switch {
		case wrong == isNull:
			add("can't be null any more")
		default:
			add("was %s and is %s now", have, want)
		}
		return problems // what else differs follows from this
	}
	for _, n := range new {
		scalars(old, n, have, add)
		if have&isObject != 0 {
			problems = append(problems, c.members(old, n, at)...)
		}
		if have&isArray != 0 && n.items != nil {
			problems = append(problems, c.satisfies(inner(old, func(o *node) *node { return o.items }, c.any), n.items, at+"/"+itemStep)...)
		}
	}
	return problems
}

// effective are the types that values have, given their enums, too.
func effective(old []*node) kinds {
	k := typesOf(old)
	if values, ok := commonEnum(old); ok {
		var some kinds
		for _, v := range values {
			some |= kindOf(v)
		}
		k &= some
	}
	return k
}

func kindOf(json string) kinds {
	switch {
	case json == "null":
		return isNull
	case json == "true" || json == "false":
		return isBoolean
	case strings.HasPrefix(json, `"`):
		return isString | isArray | isObject // of the latter it is a hash
	}
	return isInteger | isFraction
}

func commonEnum(list []*node) (values []string, ok bool) {
	for _, n := range list {
		if n.Enum == nil {
			continue
		}
		if !ok {
			values, ok = slices.Clone(n.Enum), true
			continue
		}
		values = slices.DeleteFunc(values, func(v string) bool { return !slices.Contains(n.Enum, v) })
	}
	return values, ok
}

func inner(list []*node, of func(*node) *node, none *node) []*node {
	var found []*node
	for _, n := range list {
		if i := of(n); i != nil {
			found = append(found, i)
		}
	}
	if found == nil {
		found = []*node{none}
	}
	return found
}
