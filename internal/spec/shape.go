package spec

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// Shape is what the values at one place look like: $refs followed, allOf merged.
// anyOf and oneOf leave several cases, and a value is one of them.
type Shape struct {
	// Component names the schema that a $ref stands for; "" for one written in place.
	Component string

	w        *walker
	node     *doctree.Node // where the $refs end
	cases    []alternative // without those that only allow null
	nullable bool
	readOnly bool
}

// Property is one property of an object.
type Property struct {
	Name string
	// Required says that every case requires it.
	Required bool
	Shape    *Shape

	key *doctree.Node
}

// Pos is where the property's name stands, and how many characters it has.
func (p Property) Pos() (diag.Pos, int) { return p.key.Pos(), p.key.Len() }

// PathParameter is a declared parameter of the path.
type PathParameter struct {
	Name  string
	Shape *Shape
}

// Answer is the JSON that an operation answers with when it has created
// something: its 201, else 200, else 202. It is nil if there is none, or if it
// can't be told.
func (d *Document) Answer(o *Operation) *Shape {
	w := d.reader()
	responses := o.node.Get("responses")
	for _, status := range []string{"201", "200", "202"} {
		if r := responses.Get(status); r != nil {
			return w.shapeOf(w.target(r))
		}
	}
	return nil
}

// Body is the JSON that an operation takes, nil if there is none or if it can't be
// told, and whether every request has it. Declared tells of any body.
func (d *Document) Body(o *Operation) (body *Shape, required, declared bool) {
	w := d.reader()
	n := o.node.Get("requestBody")
	request := w.target(n)
	r := request.Get("required")
	return w.shapeOf(request), r != nil && r.True(), n != nil
}

// PathParameters lists the declared parameters of the operation's path.
func (d *Document) PathParameters(o *Operation) []PathParameter {
	w := d.reader()
	var list []PathParameter
	for _, p := range w.parameters(o) {
		if p.in == "path" {
			list = append(list, PathParameter{p.name, w.shape([]*doctree.Node{p.node.Get("schema")})})
		}
	}
	return list
}

// reader looks things up without reporting anything.
func (d *Document) reader() *walker { return &walker{doc: d, files: d.files} }

// shapeOf is that of the first JSON body of a request body or response.
func (w *walker) shapeOf(n *doctree.Node) *Shape {
	bodies, _ := jsonBodies(n)
	if len(bodies) == 0 {
		return nil
	}
	return w.shape([]*doctree.Node{bodies[0].schema})
}

// shape is nil when it can't be told what the schemas allow together.
func (w *walker) shape(schemas []*doctree.Node) *Shape {
	if slices.Contains(schemas, nil) {
		return nil
	}
	all, ok := w.cases(schemas)
	if !ok {
		return nil
	}
	s := &Shape{w: w}
	if len(schemas) == 1 {
		s.Component, s.node = component(schemas[0]), w.target(schemas[0])
	}
	for _, n := range schemas {
		s.readOnly = s.readOnly || alternative{n}.is("readOnly") // beside a $ref, too
	}
	for _, c := range all {
		kinds := c.kinds()
		s.nullable = s.nullable || kinds&isNull != 0 && kinds != isAnything || c.is("nullable")
		if kinds != isNull {
			s.cases = append(s.cases, c)
		}
	}
	return s
}

// component is the last name of a $ref, without a file's extension.
func component(n *doctree.Node) string {
	ref := refOf(n)
	if ref == nil {
		return ""
	}
	u, err := url.Parse(ref.Value)
	if err != nil {
		return ""
	}
	if u.Fragment != "" {
		return unescape(path.Base(u.Fragment))
	}
	return strings.TrimSuffix(path.Base(u.Path), path.Ext(u.Path))
}

// Same tells whether both stand for one component.
func (s *Shape) Same(o *Shape) bool {
	return s.Component != "" && o.Component != "" && s.node == o.node
}

// Types lists the JSON types that a value can have beside null. "number" includes
// integers.
func (s *Shape) Types() []string {
	var all kinds
	for _, c := range s.cases {
		all |= c.kinds()
	}
	var names []string
	for _, t := range []struct {
		name string
		bits kinds
	}{{"boolean", isBoolean}, {"integer", isInteger}, {"number", isFraction}, {"string", isString}, {"array", isArray}, {"object", isObject}} {
		if all&t.bits != 0 && (t.bits != isInteger || all&isFraction == 0) {
			names = append(names, t.name)
		}
	}
	return names
}

// Nullable tells whether null is a value.
func (s *Shape) Nullable() bool { return s.nullable }

// ReadOnly tells whether only the server makes it.
func (s *Shape) ReadOnly() bool { return s.readOnly || s.all("readOnly") }

// WriteOnly tells whether answers leave it out.
func (s *Shape) WriteOnly() bool { return s.all("writeOnly") }

func (s *Shape) all(keyword string) bool {
	for _, c := range s.cases {
		if !c.is(keyword) {
			return false
		}
	}
	return len(s.cases) > 0
}

// Format is the one that all cases have, else "".
func (s *Shape) Format() string {
	var format string
	for i, c := range s.cases {
		var own string
		for _, n := range c {
			if f := n.Get("format"); f != nil && f.Kind == doctree.String {
				own = f.Value
			}
		}
		if i > 0 && own != format {
			return ""
		}
		format = own
	}
	return format
}

// Default is the value that is written down for when there is none; nil for none.
func (s *Shape) Default() *doctree.Node {
	for _, c := range s.cases {
		for _, n := range c {
			if v := n.Get("default"); v != nil {
				return v
			}
		}
	}
	return nil
}

// Enum lists the strings that a value can be, nil when it is not limited to some.
func (s *Shape) Enum() []string {
	var values []string
	for _, c := range s.cases {
		own, limited := c.strings()
		if !limited {
			return nil
		}
		for _, v := range own {
			if !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
	}
	return values
}

// strings are those that every enum and const of the alternative has.
func (a alternative) strings() (values []string, limited bool) {
	for _, n := range a {
		nodes := listOf(n, "enum")
		if c := n.Get("const"); c != nil {
			nodes = []*doctree.Node{c}
		}
		var own []string
		for _, v := range nodes {
			if v.Kind == doctree.String {
				own = append(own, v.Value)
			}
		}
		switch {
		case own == nil:
		case !limited:
			values, limited = own, true
		default:
			values = slices.DeleteFunc(values, func(v string) bool { return !slices.Contains(own, v) })
		}
	}
	return values, limited
}

// Properties lists those that any case declares, in document order.
func (s *Shape) Properties() []Property {
	var list []Property
	seen := make(map[string]bool)
	for _, c := range s.cases {
		for _, name := range c.properties() {
			if seen[name] {
				continue
			}
			seen[name] = true
			if p, ok := s.property(name); ok {
				list = append(list, p)
			}
		}
	}
	return list
}

// property merges what the cases say of one.
func (s *Shape) property(name string) (Property, bool) {
	p := Property{Name: name, Required: true}
	var parts []*Shape
	for _, c := range s.cases {
		schemas, key, required := c.property(name)
		p.Required = p.Required && required
		if key == nil {
			continue
		}
		if p.key == nil {
			p.key = key
		}
		part := s.w.shape(schemas)
		if part == nil {
			p.Shape = &Shape{w: s.w} // of no type that is known
			return p, true
		}
		parts = append(parts, part)
	}
	if len(parts) == 1 {
		p.Shape = parts[0]
		return p, true
	}
	p.Shape = &Shape{w: s.w}
	for i, part := range parts {
		p.Shape.cases = append(p.Shape.cases, part.cases...)
		p.Shape.nullable = p.Shape.nullable || part.nullable
		p.Shape.readOnly = part.readOnly && (i == 0 || p.Shape.readOnly)
	}
	return p, p.key != nil
}
