package enrich

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/idemgen/idemgen/internal/spec"
)

// keyParameter declares the key's header, or completes its declaration.
func (e *enricher) keyParameter(op *spec.Operation, node, shared *yaml.Node) {
	k := op.Idempotent.Key
	if k.Pointers != nil {
		return // it is in the body, whose schema has it
	}
	own := get(node, "parameters")
	if i := e.find(own, k.Header); i >= 0 {
		if p, changed := e.completed(own.Content[i], k); changed {
			own.Content[i] = p
		}
		return
	}
	var param *yaml.Node
	if i := e.find(shared, k.Header); i >= 0 {
		p, changed := e.completed(shared.Content[i], k)
		if !changed {
			return
		}
		param = p // for this operation it stands for that of the path item
	} else {
		param = newParameter(k)
	}
	if own == nil || own.Kind != yaml.SequenceNode {
		own = list()
		if i := index(node, "parameters"); i >= 0 { // null
			node.Content[i+1] = own
		} else {
			insertBefore(node, []string{"requestBody", "responses"}, "parameters", own)
		}
	}
	own.Style &^= yaml.FlowStyle
	own.Content = append(own.Content, param)
}

// find returns the index of a header among parameters.
func (e *enricher) find(params *yaml.Node, header string) int {
	if params == nil || params.Kind != yaml.SequenceNode {
		return -1
	}
	for i, item := range params.Content {
		p := e.follow(place{"", item}).node
		in, name := get(p, "in"), get(p, "name")
		if in != nil && name != nil && in.Value == "header" && strings.EqualFold(name.Value, header) {
			return i
		}
	}
	return -1
}

func newParameter(k spec.Key) *yaml.Node {
	n := object("name", k.Header, "in", "header")
	if k.Required {
		put(n, "required", value(true))
	}
	put(n, "description", text(keyDescription(k)))
	put(n, "schema", object(append([]any{"type", "string"}, limits(k)...)...))
	return n
}

// limits are what a schema says of the bare key, as keys and values.
func limits(k spec.Key) []any {
	var pairs []any
	switch k.Format {
	case "uuid":
		pairs = append(pairs, "format", "uuid")
	case "ulid":
		pairs = append(pairs, "format", "ulid")
		if k.Pattern == "" {
			return append(pairs, "pattern", ulidPattern)
		}
	default:
		longest := k.MaxLength
		if longest == 0 {
			longest = maxKeyLength
		}
		pairs = append(pairs, "minLength", max(k.MinLength, 1), "maxLength", longest)
	}
	if portable(k.Pattern) {
		pairs = append(pairs, "pattern", k.Pattern)
	}
	return pairs
}

// maxKeyLength is the runtime's.
const maxKeyLength = 255

// completed is a declared parameter with what its declaration leaves out. The
// server asks for the key wherever x-idempotent doesn't say otherwise.
func (e *enricher) completed(declared *yaml.Node, k spec.Key) (_ *yaml.Node, changed bool) {
	p := e.follow(place{"", declared})
	n := e.resolved(declared, "parameter")
	if k.Required && !isTrue(get(n, "required")) {
		if index(n, "required") >= 0 {
			put(n, "required", value(true))
		} else {
			insertAfter(n, []string{"in", "name"}, "required", value(true))
		}
		changed = true
	}
	if index(n, "description") < 0 {
		insertAfter(n, []string{"required", "in", "name"}, "description", text(keyDescription(k)))
		changed = true
	}
	schema := get(n, "schema")
	if schema == nil {
		return n, changed
	}
	said := e.said(place{p.file, get(p.node, "schema")})
	if !said.string() {
		return n, changed
	}
	var missing []any
	pairs := limits(k)
	for i := 0; i < len(pairs); i += 2 {
		if !said.has(pairs[i].(string), pairs[i+1]) {
			missing = append(missing, pairs[i], pairs[i+1])
		}
	}
	switch {
	case missing == nil:
		return n, changed
	case plainSchema(schema):
		for i := 0; i < len(missing); i += 2 {
			put(schema, missing[i].(string), value(missing[i+1]))
		}
	default:
		put(n, "schema", object("allOf", list(schema, object(missing...))))
	}
	return n, true
}

// plainSchema tells a schema to which limits can be added.
func plainSchema(n *yaml.Node) bool {
	for _, key := range []string{"$ref", "allOf", "anyOf", "oneOf", "not", "minLength", "maxLength"} {
		if v := get(n, key); v != nil && v.Kind != yaml.ScalarNode || key == "$ref" && v != nil {
			return false
		}
	}
	return true
}

// said is what a schema says of every value.
type said map[string]*yaml.Node

// said collects it through $refs and allOf.
func (e *enricher) said(schema place) said {
	all := said{}
	e.collect(all, schema, 0)
	return all
}

func (e *enricher) collect(all said, schema place, depth int) {
	if depth > maxHops {
		return
	}
	schema = e.follow(schema)
	for k, v := range entries(schema.node) {
		if k.Value == "allOf" {
			for _, item := range v.Content {
				e.collect(all, place{schema.file, item}, depth+1)
			}
		} else if all[k.Value] == nil {
			all[k.Value] = v
		}
	}
}

func (s said) string() bool {
	t := s["type"]
	return t != nil && t.Value == "string"
}

// has reports whether a limit is there, or a narrower one of its kind.
func (s said) has(name string, limit any) bool {
	v := s[name]
	if v == nil {
		return false
	}
	n, err := strconv.Atoi(v.Value)
	switch name {
	case "minLength":
		return err == nil && n >= limit.(int)
	case "maxLength":
		return err == nil && n <= limit.(int)
	case "format":
		return v.Value == limit
	}
	return true // a pattern that is said again in Go's syntax stays
}
