package answers

import (
	"maps"
	"slices"
	"strings"
)

// wider are formats whose values include those of another.
var wider = map[string]string{"int32": "int64", "float": "double"}

// scalars compares what one new node says of the value itself.
func scalars(old []*node, new *node, have kinds, add func(string, ...any)) {
	if new.Unrecorded && !slices.ContainsFunc(old, func(o *node) bool { return o.Unrecorded }) {
		add("can't be compared: its schema is too large")
	}
	if have == isNull {
		return
	}
	if new.Enum != nil {
		values, ok := commonEnum(old)
		if gone := without(values, new.Enum, have); !ok {
			add("takes only %s now", list(new.Enum))
		} else if len(gone) > 0 {
			add("doesn't take %s any more", list(gone))
		}
	}
	for _, f := range new.Formats {
		if !slices.ContainsFunc(old, func(o *node) bool {
			return slices.ContainsFunc(o.Formats, func(g string) bool { return g == f || wider[g] == f })
		}) {
			add("has the format %q now", f)
		}
	}
	for _, p := range new.Patterns {
		if !slices.ContainsFunc(old, func(o *node) bool { return slices.Contains(o.Patterns, p) }) {
			add("has the pattern %q now", p)
		}
	}
	for _, b := range bounds {
		limit, ok := new.Limits[b.keyword]
		if ok && !slices.ContainsFunc(old, func(o *node) bool { return b.implied(o.Limits, limit) }) {
			add("has %s %s now", b.keyword, limit)
		}
	}
	if new.Discriminator != "" && slices.ContainsFunc(old, func(o *node) bool { return o.Discriminator != "" && o.Discriminator != new.Discriminator }) {
		add("is told apart by %q now", new.Discriminator)
	}
	if new.Other != "" && !slices.ContainsFunc(old, func(o *node) bool { return o.Other == new.Other }) {
		add("has changed in keywords that can't be compared (not, if, patternProperties and the like)")
	}
}

// implied tells whether one of the limits is as narrow. An exclusive limit is
// narrower than the same one that isn't.
func (b bound) implied(limits map[string]string, want string) bool {
	for _, keyword := range []string{b.keyword, map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}[b.keyword]} {
		if have, ok := limits[keyword]; ok && b.implies(have, want) {
			return true
		}
	}
	return false
}

// without lists the values that are missing in want and that a type allows.
func without(values, want []string, have kinds) []string {
	var gone []string
	for _, v := range values {
		if kindOf(v)&have&^isNull != 0 && !slices.Contains(want, v) {
			gone = append(gone, v)
		}
	}
	return gone
}

func list(values []string) string { return strings.Join(values, ", ") }

// members compares what one new node says of an object's properties. What the
// old schema doesn't declare is taken to be absent, unless it has a schema for
// other properties.
func (c *Comparison) members(old []*node, new *node) []Problem {
	var problems []Problem
	add := func(at, text string) { problems = append(problems, Problem{at, text}) }
	names := map[string]bool{} // that old values may have
	open, closed := true, false
	for _, o := range old {
		for name := range o.members {
			names[name] = true
		}
		open = open && !o.Closed && o.additional == nil
		closed = closed || o.Closed
	}
	for _, name := range slices.Sorted(maps.Keys(new.members)) {
		member := new.members[name]
		if member.Required && !slices.ContainsFunc(old, func(o *node) bool { return o.members[name] != nil && o.members[name].Required }) {
			add("/"+name, "is required now")
		}
		if values := values(old, name); values != nil {
			problems = append(problems, below(name, c.satisfies(values, member))...)
		}
	}
	if !new.Closed && new.additional == nil {
		return problems
	}
	if !closed && (open || new.Closed) {
		add("", map[bool]string{true: "can't have other properties any more", false: "has a schema for other properties now"}[new.Closed])
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		switch {
		case new.members[name] != nil:
		case new.Closed:
			add("/"+name, "isn't allowed any more")
		default:
			problems = append(problems, below(name, c.satisfies(values(old, name), new.additional))...)
		}
	}
	if !new.Closed && !open && !closed {
		others := inner(old, func(o *node) *node { return o.additional }, c.any)
		problems = append(problems, below(otherStep, c.satisfies(others, new.additional))...)
	}
	return problems
}

// values are the schemas that hold for a property, nil if it isn't declared.
func values(old []*node, name string) []*node {
	var list []*node
	for _, o := range old {
		if m := o.members[name]; m != nil {
			list = append(list, m)
		} else if o.additional != nil {
			list = append(list, o.additional)
		}
	}
	return list
}
