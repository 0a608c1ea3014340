package spec

import (
	"net/url"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// Schema is a JSON schema as it is written: schemas that hold at once, which is
// what allOf means. $refs are kept by name, so that a cycle of them is finite.
type Schema struct {
	w    *walker
	all  alternative
	refs []SchemaRef
}

// SchemaRef is a $ref.
type SchemaRef struct {
	// Name is that of the component, or for another place its file and pointer.
	Name string

	w      *walker
	target *doctree.Node
}

// Schema is what the $ref names, nil when that isn't known.
func (r SchemaRef) Schema() *Schema {
	if r.target == nil {
		return nil
	}
	return r.w.conjunction([]*doctree.Node{r.target})
}

// Member is a property of an object.
type Member struct {
	Name     string
	Required bool
	// Schema is nil for one that is required and not declared.
	Schema *Schema
}

// Choice is an anyOf or a oneOf.
type Choice struct {
	Keyword string
	Schemas []*Schema
}

func (w *walker) conjunction(nodes []*doctree.Node) *Schema {
	s := &Schema{w: w}
	for _, n := range nodes {
		s.add(n)
	}
	return s
}

func (s *Schema) add(n *doctree.Node) {
	if ref := refOf(n); ref != nil {
		r := SchemaRef{Name: s.w.refName(ref), w: s.w, target: s.w.local(ref, 0)}
		if !slices.ContainsFunc(s.refs, func(x SchemaRef) bool { return x.Name == r.Name }) {
			s.refs = append(s.refs, r)
		}
		if strings.HasPrefix(s.w.doc.Version, "3.0") {
			return // siblings of $ref mean nothing there
		}
	}
	s.all = append(s.all, n)
	for _, part := range listOf(n, "allOf") {
		s.add(part)
	}
}

// refName is one name for all spellings of a $ref to the same place.
func (w *walker) refName(ref *doctree.Node) string {
	u, err := url.Parse(ref.Value)
	if err != nil {
		return ref.Value
	}
	key := w.files.of(ref).key
	if u.Path != "" {
		key = resolve(w.files.of(ref), u.Path)
	}
	if key != w.files.root {
		return key + "#" + u.Fragment
	}
	if name, ok := strings.CutPrefix(u.Fragment, "/components/schemas/"); ok && !strings.Contains(name, "/") {
		return unescape(name)
	}
	return "#" + u.Fragment
}

// Refs lists the $refs that hold beside the rest.
func (s *Schema) Refs() []SchemaRef { return s.refs }

// Types names the JSON types that values can have, sorted: "integer" is not
// listed beside "number". All types are nil, and none is an empty list.
// Properties without a type stand for an object.
func (s *Schema) Types() []string {
	k := s.all.kinds()
	if s.Nullable() {
		k |= isNull // also where an enum lacks null: tools let nullable win
	}
	if slices.ContainsFunc(s.all, func(n *doctree.Node) bool { return n.Kind == doctree.Bool && !n.True() }) {
		k = 0
	}
	if k == isAnything {
		return nil
	}
	names := []string{}
	for _, name := range []string{"array", "boolean", "integer", "null", "number", "object", "string"} {
		switch {
		case name == "integer" && k&isNumber == isNumber:
		case name == "number" && k&isFraction == 0:
		case k&kindNames[name] != 0:
			names = append(names, name)
		}
	}
	return names
}

// Nullable tells whether OpenAPI 3.0's nullable is set.
func (s *Schema) Nullable() bool { return s.all.is("nullable") }

// Values returns what the schemas have under a keyword.
func (s *Schema) Values(keyword string) []*doctree.Node {
	var list []*doctree.Node
	for _, n := range s.all {
		if v := n.Get(keyword); v != nil {
			list = append(list, v)
		}
	}
	return list
}

// Members lists the properties that answers have, sorted by name: those that are
// declared and not writeOnly, and those that are only required.
func (s *Schema) Members() []Member {
	names := s.all.properties()
	for _, list := range s.Values("required") {
		for _, item := range list.Items {
			names = append(names, item.Value)
		}
	}
	slices.Sort(names)
	var members []Member
	for _, name := range slices.Compact(names) {
		schemas, _, required := s.all.property(name)
		switch {
		case schemas == nil:
			members = append(members, Member{name, required, nil})
		case !schemas.is("writeOnly"):
			members = append(members, Member{name, required, s.w.conjunction(schemas)})
		}
	}
	return members
}

// Items is the schema of a list's items, nil when there is none.
func (s *Schema) Items() *Schema { return s.inner("items") }

// Additional is the schema of other properties, nil when there is none. Closed
// says that there are no other properties.
func (s *Schema) Additional() (schema *Schema, closed bool) {
	for _, v := range s.Values("additionalProperties") {
		closed = closed || v.Kind == doctree.Bool && !v.True()
	}
	return s.inner("additionalProperties"), closed
}

// inner leaves out booleans, and mappings that say nothing.
func (s *Schema) inner(keyword string) *Schema {
	nodes := slices.DeleteFunc(s.Values(keyword), func(n *doctree.Node) bool { return len(n.Entries) == 0 })
	if len(nodes) == 0 {
		return nil
	}
	return s.w.conjunction(nodes)
}

// Choices lists the anyOf and oneOf, each of which holds beside the rest.
func (s *Schema) Choices() []Choice {
	var list []Choice
	for _, keyword := range []string{"anyOf", "oneOf"} {
		for _, v := range s.Values(keyword) {
			c := Choice{Keyword: keyword}
			for _, item := range v.Items {
				c.Schemas = append(c.Schemas, s.w.conjunction([]*doctree.Node{item}))
			}
			if len(c.Schemas) > 0 {
				list = append(list, c)
			}
		}
	}
	return list
}

// Text is a value of the document as text that is the same for YAML and JSON.
func Text(n *doctree.Node) string {
	var z normalizer
	z.value(n)
	return z.b.String()
}
