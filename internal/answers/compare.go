package answers

import (
	"cmp"
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

// Comparison is that of the answers of two revisions. It isn't safe for
// concurrent use.
type Comparison struct {
	old, new schemas
	same     map[string]bool // names that stand for the same in both
	null     *node           // and any: values that no schema describes
	any      *node
	ids      int
	steps    int
	found    map[string][]Problem // by pair; empty while it is compared
	roots    map[[2]int][]Problem // those of whole answers
	err      error                // of a line that can't be read
}

// NewComparison prepares the schemas that answers of two revisions refer to.
func NewComparison(old, new map[string]lock.Schema) *Comparison {
	c := &Comparison{found: map[string][]Problem{}, roots: map[[2]int][]Problem{}, same: map[string]bool{}}
	c.null, c.any = c.node(), c.node()
	c.null.types = isNull
	c.old, c.new = c.all(old), c.all(new)
	for name := range new {
		c.same[name] = reflect.DeepEqual(old[name], new[name])
	}
	for changed := true; changed; { // what refers to another one is another one
		changed = false
		for name, n := range c.new {
			if c.same[name] && !c.sameRefs(n) {
				c.same[name], changed = false, true
			}
		}
	}
	return c
}

func (c *Comparison) all(list map[string]lock.Schema) schemas {
	named := schemas{}
	for name, lines := range list {
		n, err := c.tree(lines)
		if err != nil {
			c.err = err
			continue
		}
		n.name = name
		named[name] = n
	}
	return named
}

func (c *Comparison) sameRefs(n *node) bool {
	for _, name := range n.refs {
		if !c.same[name] {
			return false
		}
	}
	return true
}

// Compare says why an answer that satisfied the old schema may not satisfy the
// new one. What can't be told is a problem, too.
func (c *Comparison) Compare(old, new lock.Schema) []Problem {
	c.steps = 0
	clear(c.found) // what was found within a cycle holds for its beginning only
	oldRoot, oldErr := c.tree(old)
	newRoot, newErr := c.tree(new)
	err := cmp.Or(oldErr, newErr)
	switch {
	case err == nil && reflect.DeepEqual(old, new) && c.sameRefs(newRoot):
		return nil
	case err != nil || c.err != nil:
		return []Problem{{"", unreadable + cmp.Or(err, c.err).Error()}}
	}
	oldRoot, newRoot = resolved(oldRoot, c.old), resolved(newRoot, c.new)
	key := [2]int{oldRoot.id, newRoot.id}
	problems, ok := c.roots[key]
	if !ok {
		problems = c.satisfies([]*node{oldRoot}, newRoot)
		c.roots[key] = problems
	}
	return problems
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

// satisfies compares all that holds of an old value with one new schema. The
// problems are relative to the value.
func (c *Comparison) satisfies(old []*node, new *node) []Problem {
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
	problems := unique(c.satisfiesAny(old, new))
	// There may be as many ways to one place as there are paths through the schemas.
	problems = problems[:min(len(problems), maxProblems)]
	c.found[key] = problems
	return problems
}

// below moves problems of an inner value to where it is.
func below(step string, problems []Problem) []Problem {
	moved := make([]Problem, len(problems))
	for i, p := range problems {
		moved[i] = Problem{"/" + step + p.At, p.Text}
	}
	return moved
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

func (c *Comparison) satisfiesAny(old []*node, new *node) []Problem {
	oldCases, ok := c.cases(old, c.old)
	newCases, ok2 := c.cases([]*node{new}, c.new)
	if !ok || !ok2 {
		return []Problem{{"", "can't be compared: it has too many alternatives, or a $ref that isn't known"}}
	}
	var problems []Problem
	for _, o := range oldCases {
		var best []Problem
		for i, n := range newCases {
			if found := c.within(o, n); i == 0 || len(found) < len(best) {
				best = found
			}
			if len(best) == 0 {
				break
			}
		}
		switch {
		case len(newCases) == 0:
			problems = append(problems, Problem{"", "has no value any more"})
		case len(best) > 0 && len(newCases) > 1 && typesOf(o) == isNull:
			problems = append(problems, Problem{"", "can't be null any more"})
		case len(best) > 0 && len(newCases) > 1:
			problems = append(problems, Problem{"", "can be what none of the alternatives is now"})
		default:
			problems = append(problems, best...)
		}
	}
	return problems
}

// within compares two cases: all nodes of each hold.
func (c *Comparison) within(old, new []*node) []Problem {
	if c.steps++; c.steps > maxSteps {
		return []Problem{{"", "can't be compared: its schema is too large"}}
	}
	var problems []Problem
	add := func(format string, args ...any) {
		problems = append(problems, Problem{"", fmt.Sprintf(format, args...)})
	}
	have, want := effective(old), typesOf(new)
	if wrong := have &^ want; wrong != 0 {
		if wrong == isNull {
			add("can't be null any more")
		} else {
			add("was %s and is %s now", have, want)
		}
		return problems // what else differs follows from this
	}
	for _, n := range new {
		scalars(old, n, have, add)
		if have&isObject != 0 {
			problems = append(problems, c.members(old, n)...)
		}
		if have&isArray != 0 && n.items != nil {
			items := inner(old, func(o *node) *node { return o.items }, c.any)
			problems = append(problems, below(itemStep, c.satisfies(items, n.items))...)
		}
	}
	return problems
}

// effective are the types that values have, given their enums, too.
func effective(old []*node) kinds {
	k := typesOf(old)
	if values, ok := commonEnum(old); ok {
		some := k & isNull // it is in the types, whatever the enum has
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
