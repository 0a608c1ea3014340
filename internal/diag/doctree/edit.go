package doctree

// WithEntries returns a mapping with these entries, which stands where n stands.
// Their keys must be unique.
func (n *Node) WithEntries(entries []Entry) *Node {
	out := &Node{Kind: Map, Entries: entries, file: n.file, off: n.off, source: n.source, size: 1, height: 1}
	if len(entries) > indexFrom {
		out.index = make(map[string]int, len(entries))
	}
	for i, e := range entries {
		if out.index != nil {
			out.index[e.Key.Value] = i
		}
		out.size++
		out.count(e.Value)
	}
	return out
}

// WithItems returns a list of these items, which stands where n stands.
func (n *Node) WithItems(items []*Node) *Node {
	out := &Node{Kind: Seq, Items: items, file: n.file, off: n.off, source: n.source, size: 1, height: 1}
	for _, item := range items {
		out.count(item)
	}
	return out
}

// Size is how much a walk over this subtree meets, aliases expanded: each node
// counts one, a long text more. It is what MaxExpanded bounds.
func (n *Node) Size() int { return n.size }

// Height is how deep this subtree is, at least 1. It is what MaxDepth bounds.
func (n *Node) Height() int { return n.height }
