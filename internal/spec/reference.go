package spec

import (
	"net/url"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Target tells what a $ref that stands in a file names: another file, or the same,
// and a JSON pointer in it, both decoded. It has been checked to be local.
func (d *Document) Target(file, ref string) (target, pointer string) {
	if file == "" {
		file = d.key
	}
	u, err := url.Parse(ref)
	if err != nil {
		return file, "" // has been reported
	}
	if u.Path != "" {
		file = path.Join(path.Dir(file), strings.TrimPrefix(u.Path, "./"))
	}
	return file, u.Fragment
}

// IsRoot says that a file is the document itself, and not one that it refers to.
func (d *Document) IsRoot(file string) bool { return file == "" || file == d.key }

// EachRef calls visit for each reference below a node that is read as one of
// OpenAPI's objects, such as "document" or "response". What only looks like one, in an
// example for instance, isn't visited.
func EachRef(n *yaml.Node, object string, visit func(ref *yaml.Node)) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	g := grammar[object]
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, n.Content[i+1]
		c, known := g.fields[key]
		switch {
		case known:
			eachChildRef(value, c, visit)
		case key == "$ref" && !g.noRef || key == "operationRef" && object == "link":
			if value.ShortTag() == "!!str" {
				visit(value)
			}
		case g.rest != nil && !strings.HasPrefix(key, "x-"):
			eachChildRef(value, *g.rest, visit)
		}
	}
}

func eachChildRef(n *yaml.Node, c child, visit func(ref *yaml.Node)) {
	switch {
	case c.shape == one:
		EachRef(n, c.object, visit)
	case c.shape == list && n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			EachRef(item, c.object, visit)
		}
	case n.Kind != yaml.MappingNode:
	case c.shape == mapping:
		for i := 1; i < len(n.Content); i += 2 {
			// A bare name is one of a schema in components.
			if v := n.Content[i]; v.ShortTag() == "!!str" && strings.Contains(v.Value, "/") {
				visit(v)
			}
		}
	default:
		for i := 1; i < len(n.Content); i += 2 {
			EachRef(n.Content[i], c.object, visit)
		}
	}
}
