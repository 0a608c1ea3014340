package runtime

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// node is a JSON value whose members have an order.
type node struct {
	scalar  string // a JSON text, or the value of a string
	kind    byte   // '#' for a literal, '"', '[' or '{'
	names   []string
	members []*node // or elements
}

var literals = []string{"null", "true", "false", "0", "-0", "1", "1.0", "1e2", "9007199254740992", "9007199254740993", "-1.5E+300"}

func randomJSON(rng *rand.Rand) *node { return randomNode(rng, 4) }

func randomNode(rng *rand.Rand, depth int) *node {
	kind := rng.IntN(4)
	if depth == 0 {
		kind = rng.IntN(2)
	}
	switch kind {
	case 0:
		return &node{kind: '#', scalar: literals[rng.IntN(len(literals))]}
	case 1:
		return &node{kind: '"', scalar: randomString(rng)}
	case 2:
		n := &node{kind: '['}
		for range rng.IntN(4) {
			n.members = append(n.members, randomNode(rng, depth-1))
		}
		return n
	}
	n := &node{kind: '{'}
	for range rng.IntN(5) {
		if name := randomString(rng); !slices.Contains(n.names, name) {
			n.names = append(n.names, name)
			n.members = append(n.members, randomNode(rng, depth-1))
		}
	}
	return n
}

func randomString(rng *rand.Rand) string {
	alphabet := []rune("abAB~/\\\"\x00\n\t\x7f é😀\u2028 ")
	s := make([]rune, rng.IntN(4))
	for i := range s {
		s[i] = alphabet[rng.IntN(len(alphabet))]
	}
	return string(s)
}

// text writes the value; in a random style, if that is asked for.
func (n *node) text(rng *rand.Rand, styled bool) string {
	space := func() string {
		if !styled {
			return ""
		}
		return []string{"", "", " ", "\n", "\t\r\n "}[rng.IntN(5)]
	}
	quote := func(s string) string {
		var b strings.Builder
		for _, r := range s {
			short, _ := json.Marshal(string(r))
			switch {
			case styled && r < 0x10000 && rng.IntN(3) == 0:
				fmt.Fprintf(&b, `\u%04X`, r)
			case styled && r == '/' && rng.IntN(2) == 0:
				b.WriteString(`\/`)
			default:
				b.Write(short[1 : len(short)-1])
			}
		}
		return `"` + b.String() + `"`
	}
	var parts []string
	for i, m := range n.members {
		part := m.text(rng, styled)
		if n.kind == '{' {
			part = quote(n.names[i]) + space() + ":" + part
			if styled {
				part = space() + part
			}
		}
		parts = append(parts, part)
	}
	var text string
	switch n.kind {
	case '#':
		text = n.scalar
	case '"':
		text = quote(n.scalar)
	case '[':
		text = "[" + space() + strings.Join(parts, ",") + "]"
	case '{':
		if styled {
			rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		}
		text = "{" + space() + strings.Join(parts, ",") + "}"
	}
	return space() + text + space()
}

// leaves are the scalars and what is empty.
func (n *node) leaves(to []*node) []*node {
	if len(n.members) == 0 {
		return append(to, n)
	}
	for _, m := range n.members {
		to = m.leaves(to)
	}
	return to
}

func (n *node) changed(rng *rand.Rand) node {
	for {
		if other := randomNode(rng, 1); other.kind != n.kind || other.scalar != n.scalar || len(other.members) != len(n.members) {
			return *other
		}
	}
}
