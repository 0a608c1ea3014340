package overlay

import (
	"regexp"
	"strings"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// The fields that overlays have, beside extensions.
var (
	documentFields = []string{"overlay", "info", "extends", "actions"}
	infoFields     = []string{"title", "version", "description"}
	actionFields   = []string{"target", "description", "update", "copy", "remove"}
)

var version = regexp.MustCompile(`^1\.[01]\.[0-9]+$`)

// Read checks the overlay document in a file, as far as that goes without the
// document that it is for. It returns nil when there is nothing to apply.
func Read(file *doctree.File, root *doctree.Node, diags *diag.Set) *Overlay {
	r := &reader{diags: diags, whole: diag.Pos{File: file.Name}}
	switch {
	case root == nil && !diags.Empty():
		return nil
	case root == nil || root.Kind == doctree.Null:
		diags.Addf(r.whole, 0, RuleVersion, "the file is empty; an overlay starts with \"overlay: 1.0.0\"")
		return nil
	case root.Kind != doctree.Map:
		r.report(root, RuleType, "the overlay is %s, not a mapping; it starts with \"overlay: 1.0.0\"", root.Kind)
		return nil
	}
	if !r.readVersion(root) {
		return nil
	}
	r.unknown(root, "an overlay", documentFields)
	r.info(root)
	o := &Overlay{}
	if e := root.Entry("extends"); e != nil && r.kind(*e, doctree.String, "the path of the document that the overlay is for") {
		o.Extends = e.Value
	}
	o.actions = r.actions(root)
	return o
}

type reader struct {
	diags *diag.Set
	whole diag.Pos
	minor byte // of the version, '0' or '1'
}

func (r *reader) report(n *doctree.Node, rule, format string, args ...any) {
	r.diags.Addf(n.Pos(), n.Len(), rule, format, args...)
}

func (r *reader) readVersion(root *doctree.Node) bool {
	e := root.Entry("overlay")
	switch {
	case e == nil:
		hint := ""
		if root.Get("openapi") != nil {
			hint = "; this is an OpenAPI document, which belongs under \"spec\""
		}
		r.diags.Addf(r.whole, 0, RuleVersion, "overlay is missing; an overlay starts with \"overlay: 1.0.0\"%s", hint)
		return false
	case !r.kind(*e, doctree.String, "a version such as 1.0.0"):
		return false
	case !version.MatchString(e.Value.Value):
		r.report(e.Value, RuleVersion, "overlay: version %q is not supported; write 1.0.0 or 1.1.0", e.Value.Value)
		return false
	}
	r.minor = e.Value.Value[2]
	return true
}

func (r *reader) info(root *doctree.Node) {
	e := root.Entry("info")
	if e == nil {
		r.diags.Addf(r.whole, 0, RuleRequired, "info is missing; add \"info: {title: ..., version: 1.0.0}\"")
		return
	}
	if !r.kind(*e, doctree.Map, "a mapping with title and version") {
		return
	}
	r.unknown(e.Value, "info", infoFields)
	for _, name := range infoFields {
		switch f := e.Value.Entry(name); {
		case f != nil:
			r.kind(*f, doctree.String, "text")
		case name != "description":
			r.report(e.Key, RuleRequired, "info.%s is missing", name)
		}
	}
}

func (r *reader) actions(root *doctree.Node) []action {
	e := root.Entry("actions")
	switch {
	case e == nil:
		r.diags.Addf(r.whole, 0, RuleRequired, "actions is missing; add a list of targets and updates")
		return nil
	case !r.kind(*e, doctree.Seq, "a list of targets and updates"):
		return nil
	case len(e.Value.Items) == 0:
		r.report(e.Key, RuleRequired, "actions is empty, so the overlay does nothing; add an action, or remove the overlay")
		return nil
	}
	var list []action
	for _, item := range e.Value.Items {
		if item.Kind != doctree.Map {
			r.report(item, RuleType, "an action is %s; write a mapping with target and update", item.Kind)
			continue
		}
		if a, ok := r.action(item); ok {
			list = append(list, a)
		}
	}
	return list
}

func (r *reader) action(n *doctree.Node) (action, bool) {
	r.unknown(n, "an action", actionFields)
	if e := n.Entry("description"); e != nil {
		r.kind(*e, doctree.String, "text")
	}
	a := action{update: n.Entry("update")}
	var ok bool
	if n.Entry("target") == nil {
		r.report(n, RuleRequired, "target is missing; add a JSONPath such as $.paths['/pets'].post")
	} else {
		a.target, ok = r.path(n, "target")
	}
	changes := 0
	if a.update != nil {
		changes++
	}
	if e := n.Entry("copy"); e != nil {
		changes++
		if r.minor == '0' {
			r.report(e.Key, RuleVersion, "copy is new in Overlay 1.1; write overlay: 1.1.0")
		}
		var copyOK bool
		a.copy, copyOK = r.path(n, "copy")
		ok = ok && copyOK
	}
	if e := n.Entry("remove"); e != nil {
		if !r.kind(*e, doctree.Bool, "true or false") {
			return a, false
		}
		if a.remove = e.Value.True(); a.remove {
			changes++
		}
	}
	switch at := n.Entry("target"); {
	case at == nil || changes == 1:
	case changes == 0:
		r.report(at.Key, RuleAction, "the action does nothing; add update or remove: true")
	default:
		r.report(at.Key, RuleAction, "update, copy and remove: true exclude each other; write an action for each")
	}
	return a, ok && changes == 1
}

// path reads a JSONPath.
func (r *reader) path(n *doctree.Node, field string) (*target, bool) {
	e := n.Entry(field)
	if !r.kind(*e, doctree.String, "a JSONPath such as $.paths['/pets'].post") {
		return nil, false
	}
	path, err := parsePath(e.Value.Value)
	if err != nil {
		r.report(e.Value, RuleTarget, "%s is not a JSONPath (RFC 9535): %s", field, pathProblem(e.Value.Value, err))
		return nil, false
	}
	return &target{field: field, node: e.Value, path: path}, true
}

// kind reports a value of the wrong type: at the value where one is written.
func (r *reader) kind(e doctree.Entry, want doctree.Kind, write string) bool {
	if e.Value.Kind == want {
		return true
	}
	at, got := e.Value, e.Value.Kind.String()
	if at.Len() == 0 {
		at = e.Key
		if e.Value.Kind == doctree.Null {
			got = "empty"
		}
	}
	r.report(at, RuleType, "%s is %s; write %s", e.Key.Value, got, write)
	return false
}

// unknown reports fields that mean nothing.
func (r *reader) unknown(n *doctree.Node, what string, fields []string) {
	known := make(map[string]bool, len(fields))
	for _, f := range fields {
		known[f] = true
	}
	for _, e := range n.Entries {
		if !known[e.Key.Value] && !strings.HasPrefix(e.Key.Value, "x-") {
			r.report(e.Key, RuleUnknown, "%q is not a field of %s%s", e.Key.Value, what, diag.DidYouMean(e.Key.Value, fields))
		}
	}
}
