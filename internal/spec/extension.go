package spec

import (
	"strings"
	"time"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// field is one field of x-idempotent. parse stores a value or reports what is wrong
// with it; nil means that the field is known but not supported yet.
type field struct {
	name  string
	parse func(r *reader, e doctree.Entry)
}

// fields is all there is; what stands before a dot is a group.
var fields = []field{
	{"name", (*reader).name},
	{"key.header", (*reader).keyHeader},
	{"key.pointer", (*reader).keyPointer},
	{"key.natural", (*reader).keyNatural},
	{"key.required", (*reader).keyRequired},
	{"key.format", (*reader).keyFormat},
	{"key.minLength", (*reader).keyMinLength},
	{"key.maxLength", (*reader).keyMaxLength},
	{"key.pattern", (*reader).keyPattern},
	{"scope", (*reader).scope},
	{"fingerprint.include", (*reader).include},
	{"fingerprint.exclude", (*reader).exclude},
	{"fingerprint.headers", (*reader).fingerprintHeaders},
	{"ttl", (*reader).ttl},
	{"wait", (*reader).wait},
	{"store", (*reader).store},
	{"keep-writes", (*reader).keepWrites},
	{"isolation", (*reader).isolation},
	{"query", (*reader).query},
	{"effects", nil},
	{"sensitive", nil},
}

// reader fills in one Extension.
type reader struct {
	ext   *Extension
	diags *diag.Set
}

func (r *reader) report(n *doctree.Node, rule, format string, args ...any) {
	r.diags.Addf(n.Pos(), n.Len(), rule, format, args...)
}

// extension reads x-idempotent of an operation under paths.
func (w *walker) extension(o *Operation, e doctree.Entry) {
	r := &reader{diags: w.diags, ext: &Extension{
		Pos: e.Key.Pos(), Len: e.Key.Len(),
		Key: Key{Header: "Idempotency-Key", Required: true}, TTL: 24 * time.Hour,
		written: make(map[string]doctree.Entry),
	}}
	v := e.Value
	switch {
	case v.Kind == doctree.Bool && !v.True():
		o.Declined = true
		return
	case v.Kind == doctree.Null:
		r.report(e.Key, RuleType, "%s is null, which says nothing; write {} or true, or false to decline", extensionKey)
		return
	case v.Kind == doctree.Map, v.True():
	case v.Kind == doctree.Seq:
		r.report(e.Key, RuleType, "%s is a list; write {} or true, or a mapping", extensionKey)
		return
	default:
		r.report(v, RuleType, "%s: %s is %s; write {} or true, or a mapping", extensionKey, quoted(v), v.Kind)
		return
	}
	if SafeMethod(o.Method) {
		r.report(e.Key, RuleMethod, "%s %q is safe already; remove %s", o.Method, o.Path, extensionKey)
		return
	}
	if id := o.node.Entry("operationId"); o.ID == "" && (id == nil || id.Value.Kind == doctree.String) {
		r.report(e.Key, RuleOperationID, "%s %q is marked %s but has no operationId; add one, it names the method to implement", o.Method, o.Path, extensionKey)
	}
	o.Idempotent = r.ext
	r.mapping(v, "")
	r.together()
}

// mapping reads the fields of n; group is "" at the top, or such as "key".
func (r *reader) mapping(n *doctree.Node, group string) {
	for _, e := range n.Entries {
		name := e.Key.Value
		if group != "" {
			name = group + "." + name
		}
		f, isGroup, known := doctree.Lookup(fields, name)
		switch {
		case !known || strings.Contains(e.Key.Value, "."): // dots are only our way to write groups
			r.report(e.Key, RuleUnknown, "%q is not a field of %s%s", e.Key.Value, in(group), diag.DidYouMean(e.Key.Value, doctree.FieldNames(fields, group)))
		case isGroup && e.Value.Kind == doctree.Map:
			r.mapping(e.Value, name)
		case isGroup:
			r.wrongType(e, name, "a mapping")
		case f.parse == nil:
			r.report(e.Key, RuleUnsupported, "%s is not supported yet", name)
		default:
			r.ext.written[name] = e
			f.parse(r, e)
		}
	}
}

// together checks what fields say of each other.
func (r *reader) together() {
	r.oneSource()
	r.ownLimits()
	r.oneFingerprint()
	r.oneStatement()
}

// wrongType reports a value of the wrong type: at the value where one is written.
func (r *reader) wrongType(e doctree.Entry, name, want string) {
	if e.Value.Len() == 0 {
		got := e.Value.Kind.String()
		if e.Value.Kind == doctree.Null {
			got = "empty"
		}
		r.report(e.Key, RuleType, "%s is %s; write %s", name, got, want)
		return
	}
	if e.Value.Kind == doctree.Null {
		r.report(e.Value, RuleType, "%s is null; write %s", name, want)
		return
	}
	r.report(e.Value, RuleType, "%s: %s is %s; write %s", name, quoted(e.Value), e.Value.Kind, want)
}

// FieldName is the name in the table.
func (f field) FieldName() string { return f.name }

func in(group string) string {
	if group == "" {
		return extensionKey
	}
	return extensionKey + " " + group
}
