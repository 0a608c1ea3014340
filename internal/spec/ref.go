package spec

import (
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// maxHops bounds chains of $refs to $refs.
const maxHops = 64

// refOf returns the $ref of a node, nil when it has none.
func refOf(n *doctree.Node) *doctree.Node {
	if ref := n.Get("$ref"); ref != nil && ref.Kind == doctree.String && ref.Value != "" {
		return ref
	}
	return nil
}

// follow returns what a $ref names, nil when that isn't known. What is wrong with
// it is reported, unless only kin-openapi can tell.
func (w *walker) follow(ref *doctree.Node) *doctree.Node {
	w.refs[ref.Value] = append(w.refs[ref.Value], ref)
	fail := func(rule, format string, args ...any) *doctree.Node {
		w.broken = true
		w.diags.Addf(ref.Pos(), ref.Len(), rule, format, args...)
		return nil
	}
	u, err := url.Parse(ref.Value)
	switch {
	case err != nil:
		return fail(RuleRef, "$ref %q is not a URI reference", ref.Value)
	case u.Scheme == "file":
		return fail(RuleRef, "$ref %q is a file URL; write the path relative to this file", ref.Value)
	case u.Scheme != "" || u.Host != "":
		return fail(RuleRemoteRef, "$ref %q is on the network, which idemgen doesn't use; download the file beside the spec and refer to that", ref.Value)
	case path.IsAbs(u.Path):
		return fail(RuleRef, "$ref %q is an absolute path; write it relative to this file", ref.Value)
	}
	src := w.files.of(ref)
	if u.Path != "" {
		var found bool
		if src, found = w.external(ref, resolve(src, u.Path)); !found {
			return nil
		}
	}
	if src.root == nil {
		return fail(RuleRef, "$ref %q names an empty file", ref.Value)
	}
	if u.Fragment != "" && !strings.HasPrefix(u.Fragment, "/") {
		return nil // an $anchor: kin-openapi's to judge
	}
	target := w.point(src.root, u.Fragment, 0)
	if target == nil {
		return fail(RuleRef, "$ref %q leads nowhere", ref.Value)
	}
	return target
}

// external opens another file of the document and reports at the $ref what is
// wrong with opening, and in the file itself what is wrong with its text.
func (w *walker) external(ref *doctree.Node, key string) (*source, bool) {
	src, found := w.files.open(key)
	if src == nil {
		w.broken = true
		for _, d := range found.All() {
			w.diags.Addf(ref.Pos(), ref.Len(), RuleRef, "$ref %q: %s", ref.Value, d.Message)
		}
		return nil, false
	}
	if !found.Empty() {
		w.broken = true
		w.diags.Merge(found)
		if src.root == nil {
			return nil, false
		}
	}
	return src, true
}

// point walks a JSON pointer from n, through $refs on the way as kin-openapi does.
func (w *walker) point(n *doctree.Node, pointer string, hops int) *doctree.Node {
	if pointer == "" {
		return n
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = unescape(token)
		next := step(n, token)
		for ; next == nil && hops < maxHops; hops++ {
			ref := refOf(n)
			if ref == nil {
				break
			}
			if n = w.local(ref, hops+1); n == nil {
				return nil
			}
			next = step(n, token)
		}
		if next == nil {
			return nil
		}
		n = next
	}
	return n
}

// local follows a $ref that lies on the way of another, silently.
func (w *walker) local(ref *doctree.Node, hops int) *doctree.Node {
	u, err := url.Parse(ref.Value)
	if err != nil || u.Scheme != "" || u.Host != "" || path.IsAbs(u.Path) || hops > maxHops {
		return nil
	}
	src := w.files.of(ref)
	if u.Path != "" {
		src, _ = w.files.open(resolve(src, u.Path))
	}
	if src == nil || src.root == nil || u.Fragment != "" && !strings.HasPrefix(u.Fragment, "/") {
		return nil
	}
	return w.point(src.root, u.Fragment, hops)
}

// step goes from a node to one of its children.
func step(n *doctree.Node, token string) *doctree.Node {
	if n != nil && n.Kind == doctree.Seq {
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(n.Items) {
			return n.Items[i]
		}
		return nil
	}
	return n.Get(token)
}
