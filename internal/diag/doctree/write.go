package doctree

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// YAML returns a document node with the subtree as YAML, made anew at each call and
// the caller's to change. Order, comments and style are those of the files that the
// nodes come from; JSON has only an order. Aliases and merge keys are written out.
func (n *Node) YAML() *yaml.Node {
	doc := &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{n.yaml()}}
	if from := n.file.document; from != nil {
		doc.HeadComment, doc.FootComment = from.HeadComment, from.FootComment
	}
	return doc
}

var yamlTags = map[Kind]string{
	Null: "!!null", Bool: "!!bool", Int: "!!int", Float: "!!float", String: "!!str", Seq: "!!seq", Map: "!!map",
}

func (n *Node) yaml() *yaml.Node {
	out := &yaml.Node{Kind: yaml.ScalarNode, Tag: yamlTags[n.Kind], Value: n.Value}
	if s := n.source; s != nil {
		out.Style = s.Style &^ yaml.TaggedStyle
		out.HeadComment, out.LineComment, out.FootComment = s.HeadComment, s.LineComment, s.FootComment
	} else if n.Kind == String && !plain(n.Value) {
		out.Style = yaml.DoubleQuotedStyle
	}
	switch n.Kind {
	case Map:
		out.Kind = yaml.MappingNode
		for _, e := range n.Entries {
			key := e.Key.yaml()
			if s := e.Key.source; s != nil {
				key.Tag = s.ShortTag() // 200 stays 200, and doesn't become "200"
			}
			out.Content = append(out.Content, key, e.Value.yaml())
		}
	case Seq:
		out.Kind = yaml.SequenceNode
		for _, item := range n.Items {
			out.Content = append(out.Content, item.yaml())
		}
	case Bool, Int, Float:
		out.Value = n.JSON()
	case Null:
		if n.Value == "" {
			out.Value = "null" // the library would write '' in a list
		}
	default: // a string is its text
	}
	return out
}

// unquoted texts are texts to every reader of YAML, be it 1.1 or 1.2, unless they
// are one of the words.
var unquoted = regexp.MustCompile(`^[A-Za-z/$_][A-Za-z0-9_/.{}$-]*( [A-Za-z0-9_/.{}$-]+)*$`)

const words = " y n yes no on off true false null "

func plain(s string) bool {
	return unquoted.MatchString(s) && !strings.Contains(words, " "+strings.ToLower(s)+" ")
}
