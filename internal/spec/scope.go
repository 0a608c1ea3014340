package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

const scopeWant = "principal, public, or a list of principal, path:NAME and header:NAME"

// scope reads who shares the keys; one part by itself is a list of one. Whether
// the path has the parameters is checked later, when they are known.
func (r *reader) scope(e doctree.Entry) {
	parts := []*doctree.Node{e.Value}
	if e.Value.Kind != doctree.String {
		parts = r.items(e, "scope", RuleScope, scopeWant)
	}
	seen := make(map[string]bool)
	for _, part := range parts {
		if part.Kind != doctree.String {
			r.wrongItem(part, "scope", "principal, path:NAME or header:NAME")
			continue
		}
		id := r.scopePart(part, len(parts) > 1)
		if id != "" && seen[id] {
			r.report(part, RuleScope, "scope: %s is there twice", quoted(part))
		}
		seen[id] = true
	}
}

// scopePart reads one part and returns what it is, in one spelling; "" when it is
// nothing.
func (r *reader) scopePart(part *doctree.Node, more bool) string {
	kind, name, named := strings.Cut(part.Value, ":")
	s := &r.ext.Scope
	switch {
	case part.Value == "principal":
		s.Principal = true
	case part.Value == "public" && more:
		r.report(part, RuleScope, "scope: public is for all callers, and excludes the other parts; write it alone, or remove it")
		return ""
	case part.Value == "public":
		s.Public = true
	case kind == "path" && named && name != "":
		s.PathParams = append(s.PathParams, name)
	case kind == "header" && named && isHeader(name):
		s.Headers = append(s.Headers, name)
		return strings.ToLower(part.Value)
	case kind == "header" && named:
		r.report(part, RuleScope, "scope: %q is not a header name; write one such as header:X-Tenant", name)
		return ""
	default:
		hint := diag.DidYouMean(part.Value, []string{"principal", "public"})
		if hint == "" {
			hint = "; write " + scopeWant
		}
		r.report(part, RuleScope, "scope: %s is not a scope%s", quoted(part), hint)
		return ""
	}
	return part.Value
}

// scope fills in the default and checks the scope against the operation.
func (w *walker) scope(o *Operation, params []parameter) {
	s := &o.Idempotent.Scope
	e, written := o.Idempotent.written["scope"]
	secured := w.secured(o)
	if !written {
		s.Principal, s.Public = secured, !secured
		return
	}
	parts := e.Value.Items
	if e.Value.Kind == doctree.String {
		parts = []*doctree.Node{e.Value}
	}
	var names []string
	for _, p := range params {
		if p.in == "path" {
			names = append(names, p.name)
		}
	}
	for _, part := range parts {
		name, isPath := strings.CutPrefix(part.Value, "path:")
		if isPath && name != "" && !slices.Contains(names, name) {
			hint := diag.DidYouMean(name, names)
			if hint == "" {
				hint = fmt.Sprintf("; it has %s", listed(names))
			}
			w.diags.Addf(part.Pos(), part.Len(), RuleScope, "scope: the path %q has no parameter %q%s", o.Path, name, hint)
		}
	}
	if secured && !s.Principal && !s.Public && len(s.PathParams)+len(s.Headers) > 0 {
		w.diags.Addf(e.Key.Pos(), e.Key.Len(), RuleScope,
			"scope leaves out the principal, but the operation has security: one caller could get another's answer; add principal, or write scope: public if that is meant")
	}
}

// secured tells whether the operation asks for any credentials. Its own security
// replaces the document's, also when it is empty.
func (w *walker) secured(o *Operation) bool {
	security := o.node.Get("security")
	if security == nil {
		security = w.doc.root.Get("security")
	}
	return security != nil && slices.ContainsFunc(security.Items, func(n *doctree.Node) bool { return len(n.Entries) > 0 })
}

// listed names parameters in a message.
func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return fmt.Sprintf("%q", names)
}
