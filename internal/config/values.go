package config

import (
	"fmt"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/module"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

func (d *decoder) version(n *doctree.Node) {
	if n.Kind != doctree.Int || n.JSON() != "1" {
		d.report(n, RuleVersion, "version %s is not known; this idemgen reads version: 1", n.Written())
	}
}

func (d *decoder) overlays(n *doctree.Node) {
	seen := make(map[string]bool)
	for i, item := range n.Items {
		field := fmt.Sprintf("overlays[%d]", i)
		if item.Kind != doctree.String {
			d.report(item, RuleType, "%s is %s; write a path", field, item.Kind)
			continue
		}
		p := d.path(field, item, true)
		if seen[p] {
			d.report(item, RulePath, "%s: %q is there twice", field, item.Value)
		}
		seen[p] = true
		d.c.Overlays = append(d.c.Overlays, p)
	}
}

func (d *decoder) server(n *doctree.Node) {
	d.c.API.Server = n.Value
	if n.Value != "std-http" {
		d.report(n, RuleUnsupported, "api.server: %q is not supported yet; write std-http", n.Value)
	}
}

// path checks a path and returns it clean. Only inputs may be outside of the
// configuration's folder: what is written must stay where the user put us.
func (d *decoder) path(field string, n *doctree.Node, outside bool) string {
	p := n.Value
	clean := path.Clean(p)
	switch {
	case p == "" || strings.TrimSpace(p) != p:
		d.report(n, RulePath, "%s: %q is not a path", field, p)
	case strings.Contains(p, "://"):
		d.report(n, RulePath, "%s: %q is a URL; download the file and write its path", field, p)
	case strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f }):
		d.report(n, RulePath, "%s: %q has control characters", field, p)
	case strings.Contains(p, `\`):
		d.report(n, RulePath, "%s: %q has a backslash; separate folders with /", field, p)
	case path.IsAbs(p) || filepath.IsAbs(p) || filepath.VolumeName(p) != "" || hasDrive(p):
		d.report(n, RulePath, "%s: %q is absolute; write it relative to this file", field, p)
	case !outside && (clean == ".." || strings.HasPrefix(clean, "../")):
		d.report(n, RulePath, "%s: %q is outside of this file's folder; generated files stay inside", field, p)
	case (field == "api.dir" || field == "store.dir") && clean != "." && module.CheckImportPath("m.test/"+clean) != nil:
		d.report(n, RulePath, "%s: %q can't be part of a Go import path; use letters, digits, '-', '.', '_' and '~'", field, p)
	}
	return clean
}

// hasDrive finds C:\ and C:/ on systems for which they are ordinary names too:
// a configuration is shared between systems.
func hasDrive(p string) bool {
	return len(p) > 1 && p[1] == ':' && (p[0]|0x20 >= 'a' && p[0]|0x20 <= 'z')
}

// packageProblem says why a name can't be that of an importable package.
func packageProblem(name string) string {
	switch {
	case token.IsKeyword(name):
		return "is a Go keyword"
	case !token.IsIdentifier(name):
		return "is not a Go identifier"
	case name == "_", name == "main", name == "init", name == "documentation": // the go command ignores files of package documentation
		return "can't be imported under that name"
	}
	return ""
}

func (d *decoder) packageName(field string, n *doctree.Node) string {
	if problem := packageProblem(n.Value); problem != "" {
		d.report(n, RulePackage, "%s: %q %s", field, n.Value, problem)
	}
	return n.Value
}

var tableName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// DefaultTable is the records' table if the configuration doesn't name it.
const DefaultTable = "idempotency_records"

// maxTable leaves room in PostgreSQL's 63 bytes for the names of indexes.
const maxTable = 40

// TableProblem says why a name can't be that of the records' table, or nothing.
func TableProblem(name string) string {
	switch {
	case !tableName.MatchString(name):
		return fmt.Sprintf("%q is not a plain table name; use lower-case letters, digits and _", name)
	case len(name) > maxTable:
		return fmt.Sprintf("%q has %d characters; at most %d are allowed", name, len(name), maxTable)
	case Reserved(name):
		return fmt.Sprintf("%q is a reserved word of PostgreSQL", name)
	}
	return ""
}

func (d *decoder) table(n *doctree.Node) {
	d.c.Store.Table = n.Value
	if problem := TableProblem(n.Value); problem != "" {
		d.report(n, RuleTable, "store.table: %s", problem)
	}
}

// finish fills in the defaults and checks what concerns several fields.
func (d *decoder) finish() {
	c := d.c
	if c.nodes["version"] == nil {
		d.diags.Addf(diag.Pos{File: c.File}, 0, RuleVersion, "version is missing; add \"version: 1\"")
	}
	if c.nodes["spec"] == nil {
		d.diags.Addf(diag.Pos{File: c.File}, 0, RuleRequired, "spec is missing; add the path of the OpenAPI document, such as \"spec: openapi.yaml\"")
	}
	set := func(s *string, def string) {
		if *s == "" {
			*s = def
		}
	}
	set(&c.API.Dir, "api")
	set(&c.API.Server, "std-http")
	set(&c.Store.Dir, "internal/idemdb")
	set(&c.Store.Table, DefaultTable)
	set(&c.DB.Migrations, "db/migrations")
	set(&c.DB.Queries, "db/queries")
	d.defaultPackage(&c.API.Package, "api", c.API.Dir)
	d.defaultPackage(&c.Store.Package, "store", c.Store.Dir)
	if c.SQLC.Run && c.nodes["sqlc.config"] == nil {
		d.report(c.nodes["sqlc.run"], RuleRequired, "sqlc.run needs sqlc.config; add the path of your sqlc.yaml")
	}
	d.clash("api.dir", c.API.Dir, "store.dir", c.Store.Dir)
	d.clash("db.migrations", c.DB.Migrations, "db.queries", c.DB.Queries)
}

func (d *decoder) defaultPackage(name *string, group, dir string) {
	if d.c.nodes[group+".package"] != nil {
		return
	}
	*name = path.Base(dir)
	if dir == "." {
		if abs, err := filepath.Abs(d.c.Dir); err == nil {
			*name = filepath.Base(abs)
		}
	}
	if problem := packageProblem(*name); problem != "" && !d.wrongPath(group+".dir") {
		pos, length := d.c.Pos(group+".dir"), d.c.Len(group+".dir")
		d.diags.Addf(pos, length, RulePackage, "%s.dir: %q %s, so it can't name the package; set %s.package", group, *name, problem, group)
	}
}

// wrongPath reports whether the field has been complained about already.
func (d *decoder) wrongPath(field string) bool {
	for _, x := range d.diags.All() {
		if x.Pos == d.c.Pos(field) {
			return true
		}
	}
	return false
}

// clash reports two folders that must differ. Case doesn't tell folders apart on
// every file system.
func (d *decoder) clash(a, dirA, b, dirB string) {
	if !strings.EqualFold(dirA, dirB) {
		return
	}
	at, other := b, a
	if d.c.nodes[b] == nil {
		at, other = a, b
	}
	d.diags.Addf(d.c.Pos(at), d.c.Len(at), RulePath, "%s: %q is the folder of %s too; they must differ", at, dirA, other)
}
