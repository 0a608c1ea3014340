package enrich

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// component is one that is added to the document.
type component struct {
	section, wanted, name string
	node                  *yaml.Node
}

// component refers to a component of ours, which is made when it is first
// needed. It gets another name if somebody has the one that is wanted.
func (e *enricher) component(section, wanted string, build func() *yaml.Node) *yaml.Node {
	i := 0
	for i < len(e.added) && (e.added[i].section != section || e.added[i].wanted != wanted) {
		i++
	}
	if i == len(e.added) {
		name := wanted
		for n := 2; e.names[normalized(name)]; n++ {
			name = wanted + strconv.Itoa(n)
		}
		e.names[normalized(name)] = true
		e.added = append(e.added, component{section: section, wanted: wanted, name: name})
		e.added[i].node = build() // which may need others
	}
	return line("$ref", "#/components/"+section+"/"+e.added[i].name)
}

// addComponents puts them into the document, behind those that are there.
func (e *enricher) addComponents() {
	if len(e.added) == 0 {
		return
	}
	// In one order, whichever operation has needed them first.
	slices.SortFunc(e.added, func(a, b component) int { return strings.Compare(a.name, b.name) })
	all := section(e.root, "components")
	for _, name := range []string{"headers", "responses", "schemas"} {
		for _, c := range e.added {
			if c.section == name {
				put(section(all, name), c.name, c.node)
			}
		}
	}
}

// section is a mapping below n, which is made if there is none.
func section(n *yaml.Node, key string) *yaml.Node {
	s := get(n, key)
	if s == nil || s.Kind != yaml.MappingNode {
		s = object()
		put(n, key, s)
	}
	return s
}

// takenNames are those of all components, of all kinds: client generators make
// types of one namespace of them, in their own spelling.
func takenNames(root *yaml.Node) map[string]bool {
	names := make(map[string]bool)
	for _, section := range entries(get(root, "components")) {
		for key := range entries(section) {
			names[normalized(key.Value)] = true
		}
	}
	return names
}

func normalized(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}
