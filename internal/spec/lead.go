package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// demands says what a pointer must lead to: something that the schema has, or a
// scalar that isn't null and, if required, is there in every request.
type demands struct{ value, required bool }

func (d demands) instead() string {
	if d.value {
		return "use key.header"
	}
	return "remove it"
}

// lead follows a pointer through a schema and says what is wrong with it. What
// can't be proven is wrong: a key that is missing now and then is no key.
func (w *walker) lead(schema *doctree.Node, p Pointer, want demands) string {
	if schema == nil {
		return fmt.Sprintf("%q can't be checked, for the body has no schema", p.Text)
	}
	here := spot{text: "the body"}
	level := []alternative{{schema}}
	for i := 0; ; i++ {
		cases, ok := w.allCases(level)
		last := i == len(p.tokens)
		switch {
		case !ok && w.broken:
			return "" // a $ref has been reported
		case !ok:
			return fmt.Sprintf("%q can't be checked: too many anyOf and oneOf, or a $ref to an anchor", p.Text)
		}
		var problem string
		if !last {
			problem = here.object(cases, want)
		} else if want.value {
			problem = here.scalar(cases)
		}
		if problem != "" || last {
			return problem
		}
		next := spot{text: fmt.Sprintf("%q", strings.Join(strings.Split(p.Text, "/")[:i+2], "/"))}
		if level, problem = here.into(&next, cases, p.tokens[i], want); problem != "" {
			return problem
		}
		here = next
	}
}

// allCases are the cases of each set of schemas.
func (w *walker) allCases(level []alternative) ([]alternative, bool) {
	var all []alternative
	for _, schemas := range level {
		cases, ok := w.cases(schemas)
		if all = append(all, cases...); !ok || len(all) > maxCases {
			return nil, false
		}
	}
	return all, true
}

// spot is a value in the body, for messages.
type spot struct {
	text string
	key  *doctree.Node // where the schema declares it; nil for the body
}

func (s spot) String() string {
	if s.key == nil {
		return s.text
	}
	return fmt.Sprintf("%s (%s)", s.text, s.key.Pos())
}

// object says why the pointer can't go on through this value.
func (s spot) object(cases []alternative, want demands) string {
	for _, c := range cases {
		k := c.kinds()
		switch {
		case k == isAnything || k == 0: // 0: no value is like this
		case want.value && c.is("readOnly"):
			return fmt.Sprintf("%s is readOnly, and so not in requests", s)
		case want.value && k&isNull != 0:
			return fmt.Sprintf("%s can be null, and then there is no key", s)
		case k == isArray:
			return fmt.Sprintf("%s is a list, and what is in a list has no fixed place", s)
		case k&isObject == 0 && k != isNull:
			return fmt.Sprintf("%s is not an object", s)
		case want.value && k != isObject:
			return fmt.Sprintf("%s is not always an object", s)
		}
	}
	return ""
}

// scalar says why this value can't be a key.
func (s spot) scalar(cases []alternative) string {
	const parts = "a key is made of strings, numbers and booleans"
	for _, c := range cases {
		k := c.kinds()
		is := "is"
		if len(cases) > 1 || k&isScalar != 0 {
			is = "can be"
		}
		switch {
		case k == 0:
		case c.is("readOnly"):
			return fmt.Sprintf("%s is readOnly, and so not in requests", s)
		case k == isAnything:
			return fmt.Sprintf("%s has no type; %s, so say which it is", s, parts)
		case k&isNull != 0:
			return fmt.Sprintf("%s can be null, and then there is no key", s)
		case k&isObject != 0:
			return fmt.Sprintf("%s %s an object; %s", s, is, parts)
		case k&isArray != 0:
			return fmt.Sprintf("%s %s a list; %s", s, is, parts)
		}
	}
	return ""
}

// into goes to a property, which all the cases must have.
func (s spot) into(next *spot, cases []alternative, name string, want demands) (level []alternative, problem string) {
	var names []string
	missing, optional := false, false
	for _, c := range cases {
		if c.kinds()&isObject == 0 {
			continue
		}
		schemas, key, required := c.property(name)
		if schemas == nil {
			missing = true
			names = append(names, c.properties()...)
			continue
		}
		if next.key == nil {
			next.key = key
		}
		optional = optional || !required
		// Alternatives often differ in other properties only.
		if !slices.ContainsFunc(level, func(a alternative) bool { return slices.Equal(a, schemas) }) {
			level = append(level, schemas)
		}
	}
	switch {
	case missing && level != nil:
		return nil, fmt.Sprintf("%s is not in every alternative of anyOf or oneOf", next)
	case missing:
		hint := diag.DidYouMean(name, names)
		if hint == "" {
			hint = "; declare it under properties"
		}
		return nil, fmt.Sprintf("%s is not in the schema: %s has no property %q%s", next, s, name, hint)
	case optional && want.required:
		return nil, fmt.Sprintf("%s is not required; list it under required, or write key.required: false", next)
	}
	return level, ""
}
