package generate

import (
	"path"
	"path/filepath"
	"slices"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/lock"
	"github.com/idemgen/idemgen/internal/migrations"
	"github.com/idemgen/idemgen/internal/tables"
)

// The rules of migrations.
const (
	ruleLeft   = "migration/left-to-you"
	ruleTables = "lock/tables"
	ruleSchema = "migration/schema"
)

// tableMigration takes the tables that idemgen new scaffolded to what the document
// says now.
func (r *run) tableMigration() {
	had := r.database.Tables
	if len(had) == 0 {
		return
	}
	if problem := tables.Problem(had); problem != "" {
		r.diags.Addf(diag.Pos{File: r.display(filepath.Base(lock.NameFor(r.cfg.File)))}, 0, ruleTables, "%s; restore the file from version control", problem)
		return
	}
	name := r.nextMigration("tables")
	change := tables.Diff(had, tables.Derive(r.made.Spec, r.sql.Table).Tables, name, r.done)
	r.database.Tables = change.Tables
	if change.Migration == nil {
		return
	}
	r.add(name, change.Migration)
	file := r.display(path.Join(r.cfg.DB.Migrations, name))
	for _, left := range change.Left {
		what := left.Table
		if left.Column != "" {
			what += "." + left.Column
		}
		r.made.Notices.Warnf(diag.Pos{File: file, Line: left.Line, Col: 1}, 0, ruleLeft, "%s: this is left to you, in comments: %s", what, left.Why)
	}
}

// done tells whether the user has let a statement run that was written in
// comments: in that migration or in a later one.
func (r *run) done(open tables.Open) bool {
	var from int64
	for _, f := range r.migrationFiles {
		if f.Name == open.Migration {
			from = f.Version
		}
	}
	return slices.ContainsFunc(r.migrationFiles, func(f migrations.File) bool {
		return f.Version >= from && f.Runs(open.Statement)
	})
}
