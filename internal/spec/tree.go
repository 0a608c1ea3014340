package spec

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// Tree returns a file of the document as YAML nodes, fresh at each call and without
// aliases: what is changed at one place changes nowhere else. Comments and styles are
// those of the file, where it is YAML. The file is a key as Target gives it; "" is
// the document itself.
func (d *Document) Tree(file string) (*yaml.Node, error) {
	if file == "" {
		file = d.key
	}
	src, _ := d.files.open(file)
	if src == nil || src.root == nil {
		return nil, fmt.Errorf("%s can't be read", d.files.name(file))
	}
	text := bytes.TrimLeft(src.file.Text, " \t\r\n")
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		// JSON, which has neither comments nor styles to lose, and escapes that YAML lacks.
		return &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{plainTree(src.root)}}, nil
	}
	var doc yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(src.file.Text)).Decode(&doc); err != nil {
		return nil, fmt.Errorf("%s: %w", d.files.name(file), err)
	}
	return withoutAliases(&doc), nil
}

// plainTree is the tree of a file in YAML's own style.
func plainTree(n *doctree.Node) *yaml.Node {
	switch n.Kind {
	case doctree.Map:
		out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, e := range n.Entries {
			out.Content = append(out.Content, plainString(e.Key.Value), plainTree(e.Value))
		}
		return out
	case doctree.Seq:
		out := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range n.Items {
			out.Content = append(out.Content, plainTree(item))
		}
		return out
	case doctree.String:
		return plainString(n.Value)
	case doctree.Null:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	default:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: n.JSON()}
	}
}

// unquoted strings are strings to every reader of YAML, be it 1.1 or 1.2.
var unquoted = regexp.MustCompile(`^[A-Za-z/$][A-Za-z0-9_/.{}$-]*( [A-Za-z0-9_/.{}$-]+)*$`)

const reservedWords = " y n yes no on off true false null "

func plainString(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	if !unquoted.MatchString(s) || strings.Contains(reservedWords, " "+strings.ToLower(s)+" ") {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// withoutAliases copies a tree, with what aliases and merge keys stand for in their
// place. The parser has bounded how much that is.
func withoutAliases(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		out := withoutAliases(n.Alias)
		out.HeadComment, out.LineComment, out.FootComment = n.HeadComment, n.LineComment, n.FootComment
		return out
	}
	out := *n
	out.Anchor, out.Content = "", nil
	var merged []*yaml.Node
	for i, c := range n.Content {
		switch {
		case n.Kind != yaml.MappingNode || n.Content[i&^1].ShortTag() != "!!merge":
			out.Content = append(out.Content, withoutAliases(c))
		case i%2 == 1:
			merged = append(merged, withoutAliases(c))
		}
	}
	for _, m := range merged {
		merge(&out, m)
	}
	return &out
}

// merge adds the entries that a mapping doesn't have already.
func merge(n, from *yaml.Node) {
	if from.Kind == yaml.SequenceNode {
		for _, item := range from.Content {
			merge(n, item)
		}
		return
	}
	has := make(map[string]bool)
	for i := 0; i+1 < len(n.Content); i += 2 {
		has[n.Content[i].Value] = true
	}
	for i := 0; i+1 < len(from.Content); i += 2 {
		if !has[from.Content[i].Value] {
			n.Content = append(n.Content, from.Content[i], from.Content[i+1])
		}
	}
}
