package lock

import (
	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// Find returns where the keys lead in a lock's text, and how many characters to
// underline: its file alone if they lead nowhere.
func Find(display string, data []byte, keys ...string) (diag.Pos, int) {
	var parser doctree.Parser
	node, _, _ := parser.Parse(display, data)
	var key *doctree.Node
	for _, k := range keys {
		e := node.Entry(k)
		if e == nil {
			return diag.Pos{File: display}, 0
		}
		key, node = e.Key, e.Value
	}
	if key == nil {
		return diag.Pos{File: display}, 0
	}
	return key.Pos(), key.Len()
}
