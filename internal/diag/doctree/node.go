// Package doctree reads YAML and JSON into one tree whose every node knows where
// it stands in the file, so that both formats share the code that judges them.
//
// Trees are read-only and safe to share between goroutines; a changed tree is a
// new one that shares what did not change. YAML
// aliases and merge keys are resolved: an aliased subtree is the same *Node at
// each of its places, with the position of the anchor.
package doctree

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/idemgen/idemgen/internal/diag"
)

// Kind is the JSON type of a node.
type Kind int

// The kinds. Int and Float are apart because YAML users write 8 and 8.0 on purpose.
const (
	Null Kind = iota
	Bool
	Int
	Float
	String
	Seq
	Map
)

// String names the kind as a user would.
func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a number", "a string", "a list", "a mapping"}[k]
}

// Node is a value of the document.
type Node struct {
	Kind    Kind
	Value   string  // scalars: decoded text of a string, number or boolean as written
	Items   []*Node // Seq
	Entries []Entry // Map, in document order, keys unique

	index  map[string]int // Entries by key, for mappings too large to scan
	file   *File
	off    int
	number string     // JSON text of a number, when Value is not JSON (0x10, 1_000)
	source *yaml.Node // with comments and style; nil in JSON files
	size   int        // see Size
	height int
}

// Entry is a key of a mapping with its value. Key.Kind is String whatever was
// written: 200 and "200" are the same key.
type Entry struct {
	Key   *Node
	Value *Node
}

// Get returns the value of key, or nil. It is safe on nil and on other kinds.
func (n *Node) Get(key string) *Node {
	if e := n.Entry(key); e != nil {
		return e.Value
	}
	return nil
}

// Entry returns the entry of key, or nil.
func (n *Node) Entry(key string) *Entry {
	if n == nil {
		return nil
	}
	if n.index != nil {
		if i, ok := n.index[key]; ok {
			return &n.Entries[i]
		}
		return nil
	}
	for i := range n.Entries {
		if n.Entries[i].Key.Value == key {
			return &n.Entries[i]
		}
	}
	return nil
}

// True reports whether n is the boolean true.
func (n *Node) True() bool { return n.Kind == Bool && strings.EqualFold(n.Value, "true") }

// JSON returns the JSON text of a number or boolean.
func (n *Node) JSON() string {
	switch {
	case n.Kind == Bool:
		return strings.ToLower(n.Value)
	case n.number != "":
		return n.number
	}
	return n.Value
}

// File returns the file that n was read from.
func (n *Node) File() *File { return n.file }

// Pos returns where n starts: a mapping or list at its first key, item or bracket.
func (n *Node) Pos() diag.Pos { return n.file.Pos(n.off) }

func (n *Node) count(child *Node) {
	n.size = min(n.size+child.size, 1<<40)
	n.height = max(n.height, child.height+1)
}

// Len returns how many characters n takes as written, quotes included, on its
// first line; 0 for mappings, lists and values that are not written at all.
func (n *Node) Len() int {
	if n.Kind == Map || n.Kind == Seq {
		return 0
	}
	return n.file.tokenLen(n.off, n.Value)
}

// Written returns a scalar as it stands in the file (its first line).
func (n *Node) Written() string { return n.file.token(n.off, n.Value) }
