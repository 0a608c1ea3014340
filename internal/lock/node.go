package lock

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// node is v as the YAML library would write it, but for strings of several lines:
// those it writes in a style that it can't always read again, and here each fact
// has one line.
func node(v reflect.Value) *yaml.Node {
	switch v.Kind() {
	case reflect.Pointer:
		return node(v.Elem())
	case reflect.Struct:
		n := &yaml.Node{Kind: yaml.MappingNode}
		addFields(n, v)
		return n
	case reflect.Map:
		n := &yaml.Node{Kind: yaml.MappingNode}
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			n.Content = append(n.Content, node(key), node(v.MapIndex(key)))
		}
		return n
	case reflect.Slice:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for i := range v.Len() {
			n.Content = append(n.Content, node(v.Index(i)))
		}
		return n
	case reflect.String:
		n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v.String()}
		if strings.Contains(n.Value, "\n") {
			n.Style = yaml.DoubleQuotedStyle
		}
		return n
	default: // a number or a boolean
		return &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(v)}
	}
}

// addFields adds those of a struct, under the names of their yaml tags.
func addFields(n *yaml.Node, v reflect.Value) {
	for i := range v.NumField() {
		name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		field := v.Field(i)
		switch {
		case strings.Contains(options, "inline"):
			addFields(n, field)
			continue
		case strings.Contains(options, "omitempty") && empty(field):
			continue
		}
		value := node(field)
		if strings.Contains(options, "flow") {
			value.Style |= yaml.FlowStyle
		}
		n.Content = append(n.Content, node(reflect.ValueOf(name)), value)
	}
}

func empty(v reflect.Value) bool {
	if v.Kind() == reflect.Map || v.Kind() == reflect.Slice {
		return v.Len() == 0
	}
	return v.IsZero()
}
