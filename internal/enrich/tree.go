package enrich

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// index is that of a key in a mapping's content, -1 if it isn't there. It is
// safe on nil.
func index(n *yaml.Node, key string) int {
	if n == nil || n.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return i
		}
	}
	return -1
}

func get(n *yaml.Node, key string) *yaml.Node {
	if i := index(n, key); i >= 0 {
		return n.Content[i+1]
	}
	return nil
}

// getFold is get of a key in any case, as header names are.
func getFold(n *yaml.Node, key string) *yaml.Node {
	for k, v := range entries(n) {
		if strings.EqualFold(k.Value, key) {
			return v
		}
	}
	return nil
}

// entries are the keys and values of a mapping; nil has none.
func entries(n *yaml.Node) func(yield func(k, v *yaml.Node) bool) {
	return func(yield func(k, v *yaml.Node) bool) {
		if n == nil || n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// put sets the value of a key, at the end if it is new.
func put(n *yaml.Node, key string, value *yaml.Node) {
	if i := index(n, key); i >= 0 {
		n.Content[i+1] = value
		return
	}
	insert(n, len(n.Content), key, value)
}

// insert adds an entry to a mapping, which gets a line for each then.
func insert(n *yaml.Node, at int, key string, value *yaml.Node) {
	n.Style &^= yaml.FlowStyle
	n.Content = slices.Insert(n.Content, at, text(key), value)
}

// insertAfter adds an entry behind the first of some keys that is there, or else
// at the beginning.
func insertAfter(n *yaml.Node, keys []string, key string, value *yaml.Node) {
	for _, k := range keys {
		if i := index(n, k); i >= 0 {
			insert(n, i+2, key, value)
			return
		}
	}
	insert(n, 0, key, value)
}

// insertBefore adds an entry before the first of some keys that is there, or else
// at the end.
func insertBefore(n *yaml.Node, keys []string, key string, value *yaml.Node) {
	for _, k := range keys {
		if i := index(n, k); i >= 0 {
			insert(n, i, key, value)
			return
		}
	}
	insert(n, len(n.Content), key, value)
}

// object makes a mapping of keys and values: nodes, strings, numbers and booleans.
func object(pairs ...any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for i, p := range pairs {
		if i%2 == 0 {
			n.Content = append(n.Content, text(p.(string)))
			continue
		}
		n.Content = append(n.Content, value(p))
	}
	return n
}

func value(v any) *yaml.Node {
	switch v := v.(type) {
	case *yaml.Node:
		return v
	case string:
		return text(v)
	}
	n := new(yaml.Node)
	_ = n.Encode(v) // numbers and booleans always encode
	return n
}

// line is an object on one line.
func line(pairs ...any) *yaml.Node {
	n := object(pairs...)
	n.Style = yaml.FlowStyle
	return n
}

func list(items ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: items}
}

func texts(words ...string) *yaml.Node {
	n := list()
	n.Style = yaml.FlowStyle
	for _, w := range words {
		n.Content = append(n.Content, text(w))
	}
	return n
}

// text is a string, quoted where YAML needs it.
func text(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
}

// appended is a text with one more paragraph.
func appended(n *yaml.Node, paragraph string) *yaml.Node {
	out := *n
	before := strings.TrimRight(n.Value, " \t\r\n")
	if n.Kind != yaml.ScalarNode || before == "" {
		return text(paragraph)
	}
	out.Tag, out.Style = "!!str", yaml.LiteralStyle
	out.Value = before + "\n\n" + paragraph + "\n"
	return &out
}

func isTrue(n *yaml.Node) bool {
	return n != nil && n.ShortTag() == "!!bool" && strings.EqualFold(n.Value, "true")
}

func copied(n *yaml.Node) *yaml.Node {
	out := *n
	out.Content = make([]*yaml.Node, len(n.Content))
	for i, c := range n.Content {
		out.Content[i] = copied(c)
	}
	return &out
}
