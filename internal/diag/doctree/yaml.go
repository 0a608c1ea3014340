package doctree

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yaml reads the file's only YAML document.
func (p *Parser) yaml() *Node {
	dec := yaml.NewDecoder(bytes.NewReader(p.file.Text))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if !errors.Is(err, io.EOF) {
			p.yamlError(err)
		}
		return nil
	}
	r := &yamlReader{p: p, built: make(map[*yaml.Node]*Node), at: newCursor(p.file.Text)}
	if len(doc.Content) == 0 {
		return nil
	}
	p.file.document = &doc
	root := r.value(doc.Content[0], 1)
	switch err := dec.Decode(&more); {
	case errors.Is(err, io.EOF):
	case err != nil:
		p.yamlError(err)
	case len(more.Content) > 0 && more.Content[0].ShortTag() != "!!null":
		p.diags.Addf(p.file.Pos(r.at.offset(more.Content[0])), 0, p.Rules.Syntax,
			"a second YAML document starts here; only one per file is read")
	}
	return root
}

var yamlLine = regexp.MustCompile(`line (\d+): `)

// yamlError reports a syntax error. The library knows at most the line.
func (p *Parser) yamlError(err error) {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	pos := p.file.Pos(0)
	if m := yamlLine.FindStringSubmatch(msg); m != nil {
		line, _ := strconv.Atoi(m[1])
		off := newCursor(p.file.Text).find(line, 1)
		for off < len(p.file.Text) && (p.file.Text[off] == ' ' || p.file.Text[off] == '\t') {
			off++
		}
		pos = p.file.Pos(off)
		msg = strings.Replace(msg, m[0], "", 1)
	} else if off := bytes.IndexFunc(p.file.Text, notYAML); off >= 0 {
		pos = p.file.Pos(off)
	} else {
		pos.Line, pos.Col = 0, 0
	}
	p.diags.Addf(pos, 0, p.Rules.Syntax, "not valid YAML: %s", msg)
}

// notYAML reports the characters that YAML 1.1 does not allow in a text.
func notYAML(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0 && r != 0x85 || r == 0xfeff || r == 0xfffe || r == 0xffff
}

type yamlReader struct {
	p     *Parser
	built map[*yaml.Node]*Node // anchors; nil while under construction
	at    *cursor
}

// value builds the tree of n, nil when a bound is hit (which has been reported).
func (r *yamlReader) value(n *yaml.Node, depth int) *Node {
	if n.Kind == yaml.AliasNode {
		return r.alias(n)
	}
	off := r.at.offset(n)
	if depth > MaxDepth {
		r.p.limit(off, "nested more than %d levels deep", MaxDepth)
		return nil
	}
	if n.Anchor != "" {
		r.built[n] = nil
	}
	var out *Node
	switch n.Kind {
	case yaml.MappingNode:
		out = r.mapping(n, off, depth)
	case yaml.SequenceNode:
		out = r.p.node(Seq, "", off)
		for _, c := range n.Content {
			item := r.value(c, depth+1)
			if item == nil || !r.p.adopt(out, item) {
				return nil
			}
			out.Items = append(out.Items, item)
		}
	default:
		out = r.scalar(n, off)
	}
	if n.Anchor != "" {
		r.built[n] = out
	}
	if out != nil {
		out.source = n
	}
	return out
}

// alias returns the anchor's own tree. The tree is shared, so memory stays small
// however far aliases multiply; the size that a walk would see is what counts.
func (r *yamlReader) alias(n *yaml.Node) *Node {
	off := r.at.offset(n)
	target := r.built[n.Alias]
	if target == nil {
		r.p.diags.Addf(r.p.file.Pos(off), len(n.Value)+1, r.p.Rules.Syntax, "the alias *%s contains itself", n.Value)
		return nil
	}
	if !r.charge(target.size, off) {
		return nil
	}
	return target
}

func (r *yamlReader) charge(size, off int) bool {
	r.p.expanded = min(r.p.expanded+size, 1<<40)
	if r.p.expanded > MaxExpanded {
		r.p.limit(off, "YAML aliases expand to more than %d nodes", MaxExpanded)
		return false
	}
	return true
}

func (r *yamlReader) mapping(n *yaml.Node, off, depth int) *Node {
	out := r.p.node(Map, "", off)
	var merges []*Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		isMerge := k.ShortTag() == "!!merge"
		key := r.value(k, depth+1)
		value := r.value(n.Content[i+1], depth+1)
		if key == nil || value == nil {
			return nil
		}
		switch {
		case isMerge:
			merges = append(merges, value)
		case key.Kind == Map || key.Kind == Seq:
			r.p.diags.Addf(key.Pos(), 0, r.p.Rules.Syntax, "a key is %s; keys must be plain text", key.Kind)
		default:
			name := *key // an anchored key may be used as a value elsewhere
			name.Kind = String
			if !r.p.add(out, &name, value) {
				return nil
			}
		}
	}
	for _, m := range merges {
		if !r.merge(out, m) {
			return nil
		}
	}
	return out
}

// merge adds what << brings: keys of the mapping itself win, then the first of a list.
func (r *yamlReader) merge(out *Node, from *Node) bool {
	switch from.Kind {
	case Seq:
		for _, item := range from.Items {
			if item.Kind != Map {
				r.p.diags.Addf(item.Pos(), item.Len(), r.p.Rules.Syntax, "<< takes mappings, not %s", item.Kind)
				continue
			}
			if !r.merge(out, item) {
				return false
			}
		}
		return true
	case Map:
	default:
		r.p.diags.Addf(from.Pos(), from.Len(), r.p.Rules.Syntax, "<< takes a mapping, not %s", from.Kind)
		return true
	}
	if !r.charge(len(from.Entries), from.off) {
		return false
	}
	for _, e := range from.Entries {
		if out.Entry(e.Key.Value) != nil {
			continue
		}
		if !r.charge(e.Value.size, from.off) || !r.p.add(out, e.Key, e.Value) {
			return false
		}
	}
	return true
}

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

func (r *yamlReader) scalar(n *yaml.Node, off int) *Node {
	out := r.p.node(String, n.Value, off)
	switch n.ShortTag() {
	case "!!null":
		out.Kind = Null
	case "!!bool":
		if strings.EqualFold(n.Value, "true") || strings.EqualFold(n.Value, "false") {
			out.Kind = Bool
		}
	case "!!int", "!!float":
		out.Kind = Int
		if n.ShortTag() == "!!float" {
			out.Kind = Float
		}
		if jsonNumber.MatchString(n.Value) {
			break
		}
		var v any
		if err := n.Decode(&v); err != nil {
			out.Kind = String
			break
		}
		if f, ok := v.(float64); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
			r.p.diags.Addf(out.Pos(), out.Len(), r.p.Rules.Syntax, "%s has no place in OpenAPI or JSON; quote it if it is text", n.Value)
		}
		if b, err := json.Marshal(v); err == nil && jsonNumber.Match(b) {
			out.number = string(b)
		} else {
			out.Kind = String
		}
	}
	return out
}
