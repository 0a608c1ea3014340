package doctree

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/idemgen/idemgen/internal/diag"
)

const (
	// MaxExpanded bounds the nodes that YAML aliases may add over all files of a
	// Parser. A few hundred bytes of nested aliases mean billions of nodes.
	MaxExpanded = 1_000_000
	// MaxDepth bounds nesting; real documents stay below 50.
	MaxDepth = 250

	longText  = 64 // a text counts once more for each so many bytes
	indexFrom = 16 // mappings with more entries have an index
)

// Rules are the rule identifiers under which a Parser reports.
type Rules struct {
	Syntax    string // not YAML or JSON, not UTF-8, several documents
	Duplicate string // a key twice in one mapping
	Limit     string // too deep, or too large once aliases are expanded
}

// Parser reads files into trees. One Parser shares its bounds over all its
// files; it is not safe for concurrent use.
type Parser struct {
	Rules Rules

	expanded int
	diags    diag.Set
	file     *File
	tooLarge bool // reported once
}

// Parse reads data, which messages call name. The tree is nil when the text
// can't be read at all or is empty; diagnostics about duplicate keys come with a tree.
func (p *Parser) Parse(name string, data []byte) (*Node, *File, *diag.Set) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	p.file, p.diags = newFile(name, data), diag.Set{}
	var root *Node
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")):
		p.diags.Addf(diag.Pos{File: name}, 0, p.Rules.Syntax, "the file is UTF-16; save it as UTF-8")
	case !utf8.Valid(data):
		off := invalidUTF8(data)
		p.diags.Addf(p.file.Pos(off), 1, p.Rules.Syntax, "byte 0x%02x is not UTF-8; save the file as UTF-8", data[off])
	case looksJSON(name, data):
		root = p.json()
	default:
		root = p.yaml()
	}
	diags := p.diags
	return root, p.file, &diags
}

// looksJSON decides the format. YAML's flow style can look like JSON, so only
// the name makes a document JSON that isn't valid as such.
func looksJSON(name string, data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	if len(data) == 0 || data[0] != '{' && data[0] != '[' {
		return false
	}
	return strings.EqualFold(path.Ext(name), ".json") || jsonError(data) == nil
}

func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return 0
}

func (p *Parser) node(kind Kind, value string, off int) *Node {
	return &Node{Kind: kind, Value: value, file: p.file, off: off, size: 1 + len(value)/longText, height: 1}
}

// adopt counts child into n, and reports false when the tree becomes too deep.
func (p *Parser) adopt(n, child *Node) bool {
	n.count(child)
	if n.height > MaxDepth {
		p.limit(n.off, "nested more than %d levels deep", MaxDepth)
		return false
	}
	return true
}

func (p *Parser) limit(off int, format string, args ...any) {
	if !p.tooLarge {
		p.tooLarge = true
		p.diags.Addf(p.file.Pos(off), 0, p.Rules.Limit, format, args...)
	}
}

// add appends an entry unless its key is there already.
func (p *Parser) add(n *Node, key, value *Node) bool {
	if first := n.Entry(key.Value); first != nil {
		p.diags.Addf(key.Pos(), key.Len(), p.Rules.Duplicate, "%q is a duplicate key; it is already on line %d", key.Value, first.Key.Pos().Line)
		return true
	}
	if n.index == nil && len(n.Entries) == indexFrom {
		n.index = make(map[string]int)
		for i, e := range n.Entries {
			n.index[e.Key.Value] = i
		}
	}
	if n.index != nil {
		n.index[key.Value] = len(n.Entries)
	}
	n.Entries = append(n.Entries, Entry{key, value})
	n.size++
	return p.adopt(n, value)
}
