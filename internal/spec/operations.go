package spec

import (
	"strings"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// methods tells OpenAPI's methods, and whether they are safe (RFC 9110, 9.2.1).
var methods = map[string]bool{
	"get": true, "head": true, "options": true, "trace": true,
	"put": false, "post": false, "delete": false, "patch": false,
}

// SafeMethod tells whether a method, in upper case, is safe by itself: GET, HEAD,
// OPTIONS and TRACE.
func SafeMethod(method string) bool { return methods[strings.ToLower(method)] }

// operations lists the operations under paths and reads their extensions.
func (w *walker) operations() {
	paths := w.doc.root.Get("paths")
	if paths == nil || paths.Kind != doctree.Map {
		return
	}
	for _, e := range paths.Entries {
		if strings.HasPrefix(e.Key.Value, "x-") {
			continue
		}
		entries := w.pathItem(e.Value)
		var shared *doctree.Node
		for _, m := range entries {
			if m.Key.Value == "parameters" {
				shared = m.Value
			}
		}
		for _, m := range entries {
			if _, ok := methods[m.Key.Value]; ok && m.Value.Kind == doctree.Map {
				w.operation(e.Key.Value, m, shared)
			}
		}
	}
	w.identities()
}

// pathItem returns the entries of a path item, through its $refs: an extension in
// another file must not be ignored.
func (w *walker) pathItem(n *doctree.Node) []doctree.Entry {
	for range maxHops {
		ref := refOf(n)
		if ref == nil {
			return n.Entries
		}
		for _, e := range n.Entries {
			if e.Key.Value != "$ref" && !strings.HasPrefix(e.Key.Value, "x-") {
				// kin-openapi then ignores the $ref and its operations, silently.
				w.diags.Addf(e.Key.Pos(), e.Key.Len(), RuleRef,
					"%q beside the $ref of a path item is undefined in OpenAPI; move it to where the $ref leads", e.Key.Value)
				w.broken = true
			}
		}
		if n = w.follow(ref); n == nil {
			return nil
		}
	}
	w.broken = true
	w.diags.Addf(n.Pos(), 0, RuleRef, "the $refs of this path item never reach a path item")
	return nil
}

func (w *walker) operation(path string, m doctree.Entry, shared *doctree.Node) {
	o := &Operation{
		Method: strings.ToUpper(m.Key.Value), Path: path,
		Pos: m.Key.Pos(), Len: m.Key.Len(), node: m.Value, shared: shared,
	}
	w.live[m.Value] = true
	w.doc.Operations = append(w.doc.Operations, o)
	if id := m.Value.Get("operationId"); id != nil && id.Kind == doctree.String && id.Value != "" {
		o.ID, o.IDPos, o.IDLen = id.Value, id.Pos(), id.Len()
	}
	for _, tag := range listOf(m.Value, "tags") {
		o.Tags = append(o.Tags, tag.Value)
	}
	for _, e := range m.Value.Entries {
		key := e.Key.Value
		if key == extensionKey {
			w.extension(o, e)
		} else if strings.EqualFold(strings.ReplaceAll(strings.TrimPrefix(key, "x-"), "_", "-"), "idempotent") ||
			strings.EqualFold(strings.ReplaceAll(key, "_", "-"), extensionKey) {
			w.diags.Addf(e.Key.Pos(), e.Key.Len(), RuleUnknown, "%q means nothing; did you mean %q?", key, extensionKey)
		}
	}
}

// identities finds operations that would share their records, and operationIds
// that would share a Go name.
func (w *walker) identities() {
	ids, identities := make(map[string]*Operation), make(map[string]*Operation)
	for _, o := range w.doc.Operations {
		first := ids[o.ID]
		switch {
		case o.ID == "":
			continue
		case first == nil:
			ids[o.ID] = o
		case o.Idempotent != nil && first.Idempotent != nil:
			w.diags.Addf(o.IDPos, o.IDLen, RuleName, "operationId %q is also that of %s %q at %s; give each marked operation its own",
				o.ID, first.Method, first.Path, first.IDPos)
		default:
			w.diags.Addf(o.IDPos, o.IDLen, RuleInvalid, "operationId %q is also that of %s %q at %s; operationIds must be unique",
				o.ID, first.Method, first.Path, first.IDPos)
		}
		if o.Idempotent == nil {
			continue
		}
		other := identities[o.Identity()]
		if other == nil {
			identities[o.Identity()] = o
			continue
		}
		if other.ID == o.ID {
			continue // said above
		}
		pos, length := o.identityPos()
		otherPos, _ := other.identityPos()
		w.diags.Addf(pos, length, RuleName, "%q is also the identity of %s %q at %s; their records would mix, so give each its own name",
			o.Identity(), other.Method, other.Path, otherPos)
	}
}

// identityPos is where the identity comes from.
func (o *Operation) identityPos() (diag.Pos, int) {
	if name := o.node.Get(extensionKey).Get("name"); name != nil && o.Idempotent.Name != "" {
		return name.Pos(), name.Len()
	}
	return o.IDPos, o.IDLen
}
