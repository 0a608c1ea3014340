package config

import (
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// field is one line of idemgen.yaml. set stores a value of the right kind.
type field struct {
	name string
	kind doctree.Kind
	want string // what to write, for messages
	set  func(d *decoder, n *doctree.Node)
}

// fields lists the leaves; what stands before a dot is a group.
var fields = []field{
	{"version", doctree.Int, "1", (*decoder).version},
	{"spec", doctree.String, "a path", func(d *decoder, n *doctree.Node) { d.c.Spec = d.path("spec", n, true) }},
	{"overlays", doctree.Seq, "a list of paths", (*decoder).overlays},
	{"api.dir", doctree.String, "a path", func(d *decoder, n *doctree.Node) { d.c.API.Dir = d.path("api.dir", n, false) }},
	{"api.package", doctree.String, "a package name", func(d *decoder, n *doctree.Node) { d.c.API.Package = d.packageName("api.package", n) }},
	{"api.server", doctree.String, "std-http", (*decoder).server},
	{"oapi", doctree.Map, "a mapping with compatibility, output-options", func(d *decoder, n *doctree.Node) { d.c.OAPI = n }},
	{"store.dir", doctree.String, "a path", func(d *decoder, n *doctree.Node) { d.c.Store.Dir = d.path("store.dir", n, false) }},
	{"store.package", doctree.String, "a package name", func(d *decoder, n *doctree.Node) { d.c.Store.Package = d.packageName("store.package", n) }},
	{"store.table", doctree.String, "a table name", (*decoder).table},
	{"db.migrations", doctree.String, "a path", func(d *decoder, n *doctree.Node) { d.c.DB.Migrations = d.path("db.migrations", n, false) }},
	{"db.queries", doctree.String, "a path", func(d *decoder, n *doctree.Node) { d.c.DB.Queries = d.path("db.queries", n, false) }},
	{"sqlc.config", doctree.String, "a path", func(d *decoder, n *doctree.Node) { d.c.SQLC.Config = d.path("sqlc.config", n, false) }},
	{"sqlc.run", doctree.Bool, "true or false", func(d *decoder, n *doctree.Node) { d.c.SQLC.Run = n.True() }},
	{"cleanup.pg_cron", doctree.String, "a schedule, in quotes", (*decoder).schedule},
}

type decoder struct {
	c     *Config
	diags *diag.Set
}

func (d *decoder) report(n *doctree.Node, rule, format string, args ...any) {
	d.diags.Addf(n.Pos(), n.Len(), rule, format, args...)
}

// mapping reads the entries of n; group is "" at the top, or such as "api".
func (d *decoder) mapping(n *doctree.Node, group string) {
	for _, e := range n.Entries {
		name := e.Key.Value
		if group != "" {
			name = group + "." + name
		}
		leaf, isGroup, known := doctree.Lookup(fields, name)
		switch {
		case !known:
			d.report(e.Key, RuleUnknown, "%q is not a field%s%s", e.Key.Value, in(group), diag.DidYouMean(e.Key.Value, doctree.FieldNames(fields, group)))
		case isGroup:
			d.c.nodes[name] = e.Value
			if e.Value.Kind == doctree.Map {
				d.mapping(e.Value, name)
			} else {
				d.typeError(e, name, fmt.Sprintf("a mapping with %s", strings.Join(doctree.FieldNames(fields, name), ", ")))
			}
		case e.Value.Kind != leaf.kind && (name != "version" || e.Value.Kind == doctree.Null):
			d.typeError(e, name, leaf.want)
		default:
			d.c.nodes[name] = e.Value
			leaf.set(d, e.Value)
		}
	}
}

func (d *decoder) typeError(e doctree.Entry, name, want string) {
	d.c.nodes[name] = e.Value // it is there, however wrong: no second report about its absence
	at, got := e.Value, e.Value.Kind.String()
	if e.Value.Len() == 0 && e.Value.Kind == doctree.Null {
		at, got = e.Key, "empty"
	}
	d.report(at, RuleType, "%s is %s; write %s", name, got, want)
}

// FieldName is the name in the table.
func (f field) FieldName() string { return f.name }

func in(group string) string {
	if group == "" {
		return ""
	}
	return " of " + group
}
