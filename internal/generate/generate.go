// Package generate runs the stages of the generator, from the configuration to
// the files in memory.
package generate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"github.com/idemgen/idemgen/internal/build"
	"github.com/idemgen/idemgen/internal/config"
	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/enrich"
	"github.com/idemgen/idemgen/internal/gomod"
	"github.com/idemgen/idemgen/internal/ir"
	"github.com/idemgen/idemgen/internal/lock"
	"github.com/idemgen/idemgen/internal/migrations"
	"github.com/idemgen/idemgen/internal/oapi"
	"github.com/idemgen/idemgen/internal/output"
	"github.com/idemgen/idemgen/internal/render"
	"github.com/idemgen/idemgen/internal/spec"
	"github.com/idemgen/idemgen/internal/sqlc"
	recordsql "github.com/idemgen/idemgen/sql"
)

// The rules of this package.
const (
	ruleModule   = "config/module"
	ruleOAPI     = "openapi/oapi-codegen"
	ruleDocument = "config/document"
)

// Generated is all that one run makes.
type Generated struct {
	Config  *config.Config
	Spec    *spec.Document
	Service *ir.Service
	// Files holds the content by path, with slashes, relative to the
	// configuration's folder.
	Files map[string][]byte
	// Migrations are the new ones, in order.
	Migrations []output.Migration
	// Notices say what the migrations leave to the user. They are no reason not to
	// write anything.
	Notices *diag.Set
	// Old is what the run before left, nil if there was none. After one that was
	// interrupted it is what the last whole run left, with the migrations that
	// were written since.
	Old *lock.Lock
	// New is what this run leaves. Its manifest is filled in by Output.
	New *lock.Lock
}

// Run generates the service of the configuration at configPath. What is wrong
// with its inputs comes as diagnostics; the error is for all else. Nothing is
// written. It is safe for concurrent use.
func Run(ctx context.Context, configPath string) (*Generated, *diag.Set, error) {
	return start(ctx, configPath, recordsql.Steps)
}

// start runs with the steps of the record table's schema.
func start(ctx context.Context, configPath string, steps []string) (*Generated, *diag.Set, error) {
	cfg, diags := config.Load(configPath)
	if cfg == nil || !diags.Empty() {
		return nil, diags, nil
	}
	r := &run{
		cfg: cfg, diags: diags, steps: steps,
		made: &Generated{Config: cfg, Files: map[string][]byte{}, Notices: &diag.Set{}},
	}
	if err := r.load(); err != nil || !r.diags.Empty() {
		return nil, r.diags, err
	}
	if err := r.generate(ctx); err != nil || !r.diags.Empty() {
		return nil, r.diags, err
	}
	r.record()
	return r.made, r.diags, nil
}

// run is one call of Run. made grows from stage to stage.
type run struct {
	cfg   *config.Config
	diags *diag.Set
	made  *Generated

	options oapi.Options
	module  string // import path of the configuration's folder
	sql     ir.SQL
	// steps are those of the record table's schema.
	steps []string
	// apiTypes is what oapi-codegen has made.
	apiTypes *oapi.API
	// migrationFiles are those of the folder, and those that are made.
	migrationFiles []migrations.File
	// database is what the migrations have made so far.
	database lock.Database
	// sqlcFolders are those to which the service's own sqlc writes.
	sqlcFolders []string
}

// load reads everything that the run depends on.
func (r *run) load() error {
	doc, options, diags := loadSpec(r.cfg)
	r.made.Spec, r.options = doc, options
	r.diags.Merge(diags)
	name := lock.NameFor(r.cfg.File)
	old, diags, lockErr := lock.Read(filepath.Join(r.cfg.Dir, name), r.display(name))
	r.made.Old = old
	r.diags.Merge(diags)
	return errors.Join(lockErr, r.findModule(), r.findSQL())
}

// generate makes the files. The parts don't depend on each other, except for
// operations that name a query of the service. Each sqlc is another process.
func (r *run) generate(ctx context.Context) error {
	if r.migrations(); !r.diags.Empty() {
		return nil
	}
	r.made.Files[r.sql.Queries] = render.Queries(r.sql.Table)
	sqlFiles := maps.Clone(r.made.Files)
	for _, m := range r.made.Migrations {
		sqlFiles[m.Path] = m.Content
	}
	service := once(func() (map[string][]byte, *diag.Set, error) { return r.service(ctx, sqlFiles) })
	parts := []func() (map[string][]byte, *diag.Set, error){
		func() (map[string][]byte, *diag.Set, error) { return r.api(service) },
		func() (map[string][]byte, *diag.Set, error) { return r.store(ctx) },
		service,
	}
	type result struct {
		files map[string][]byte
		diags *diag.Set
		err   error
	}
	results := make([]chan result, len(parts))
	for i, part := range parts {
		results[i] = make(chan result, 1)
		go func() {
			files, diags, err := part()
			results[i] <- result{files, diags, err}
		}()
	}
	var err error
	for _, c := range results {
		res := <-c
		err = errors.Join(err, res.err)
		r.diags.Merge(res.diags)
		maps.Copy(r.made.Files, res.files)
	}
	if err != nil || !r.diags.Empty() {
		return err
	}
	return r.verify()
}

// Display is how messages name a path of the configuration: as one would from
// where the command was run.
func (g *Generated) Display(name string) string { return display(g.Config, name) }

func (r *run) display(name string) string { return r.made.Display(name) }

// findModule finds the import path of the configuration's folder.
func (r *run) findModule() error {
	dir, err := filepath.Abs(r.cfg.Dir)
	if err != nil {
		return err
	}
	root, modulePath, err := gomod.Enclosing(dir)
	if err != nil {
		return err
	}
	if root == "" {
		r.diags.Addf(diag.Pos{File: r.cfg.File}, 0, ruleModule,
			"there is no go.mod in this folder or above it, and the generated packages need import paths; run go mod init first")
		return nil
	}
	rel, err := filepath.Rel(root, dir)
	r.module = path.Join(modulePath, filepath.ToSlash(rel))
	return err
}

// findSQL reads the folder of migrations.
func (r *run) findSQL() error {
	dir := r.cfg.DB.Migrations
	r.sql = ir.SQL{Table: r.cfg.Store.Table, Queries: path.Join(r.cfg.DB.Queries, "idempotency.sql")}
	files, err := migrations.Read(filepath.Join(r.cfg.Dir, filepath.FromSlash(dir)))
	for _, trap := range migrations.Traps(files) {
		r.diags.Addf(diag.Pos{File: r.display(path.Join(dir, trap.File)), Line: trap.Line, Col: trap.Col}, trap.Len, trap.Rule, "%s", trap.Message)
	}
	r.migrationFiles = files
	return err
}

// api is oapi-codegen's file and ours beside it.
func (r *run) api(queries func() (map[string][]byte, *diag.Set, error)) (map[string][]byte, *diag.Set, error) {
	doc := r.made.Spec
	document, err := doc.OpenAPI()
	if err != nil {
		return nil, nil, err
	}
	api, err := oapi.Generate(document, r.cfg.API.Package, r.options)
	var syntax *oapi.SyntaxError
	if errors.As(err, &syntax) {
		return nil, blameSyntax(doc, syntax), nil
	}
	if err != nil {
		diags := &diag.Set{}
		pos, length := Locate(doc, err.Error())
		diags.Addf(pos, length, ruleOAPI, "oapi-codegen can't generate this document: %s%s", err, advice(err.Error()))
		return nil, diags, nil
	}
	r.apiTypes = api
	in := build.Input{Config: r.cfg, Spec: doc, API: api, SQL: r.sql, Module: r.module}
	if slices.ContainsFunc(doc.Operations, func(op *spec.Operation) bool { return op.Idempotent != nil && op.Idempotent.Query != "" }) {
		made, diags, err := queries()
		if err != nil || !diags.Empty() {
			return nil, nil, nil //nolint:nilerr // the part that makes them reports it
		}
		in.Queries = made
	}
	service, diags := build.Service(in)
	if !diags.Empty() {
		return nil, diags, nil
	}
	r.made.Service = service
	files, err := render.Go(service)
	if err != nil {
		return nil, nil, err
	}
	files[path.Join(r.cfg.API.Dir, "api.gen.go")] = api.Code
	diags, err = r.document(files)
	return files, diags, err
}

// document adds the spec, with what the server really does.
func (r *run) document(files map[string][]byte) (*diag.Set, error) {
	target := path.Join(r.cfg.API.Dir, "openapi.gen.yaml")
	if target == r.cfg.Spec {
		diags := &diag.Set{}
		diags.Addf(r.cfg.Pos("spec"), r.cfg.Len("spec"), ruleDocument, "the enriched document is written to this file; move the spec, or choose another api.dir")
		return diags, nil
	}
	base, err := filepath.Rel(filepath.FromSlash(r.cfg.API.Dir), filepath.FromSlash(path.Dir(r.cfg.Spec)))
	if err != nil {
		return nil, err
	}
	files[target], err = enrich.Document(r.made.Spec, filepath.ToSlash(base))
	return nil, err
}

// store is sqlc's output over the canonical SQL. Migrations that exist are not
// read: they are the user's to add to, and their table is the one we know.
func (r *run) store(ctx context.Context) (map[string][]byte, *diag.Set, error) {
	const configFile, folder = "sqlc.idemgen.yaml", "idemgen.schema"
	conf, err := render.SQLCConfig(folder, r.sql.Queries, ir.Package{Dir: r.cfg.Store.Dir, Name: r.cfg.Store.Package})
	if err != nil {
		return nil, nil, err
	}
	files := map[string][]byte{configFile: conf, r.sql.Queries: render.Queries(r.sql.Table)}
	for i := range r.steps {
		files[fmt.Sprintf("%s/%05d.sql", folder, i+1)] = render.RecordStep(r.steps, i+1, r.sql.Table)
	}
	return sqlc.Generate(ctx, sqlc.Job{Config: configFile, Files: files, Display: r.display})
}

// service is the output of the service's own sqlc, over its files as they will
// be.
func (r *run) service(ctx context.Context, generated map[string][]byte) (map[string][]byte, *diag.Set, error) {
	if !r.cfg.SQLC.Run {
		return nil, nil, nil
	}
	files, diags, err := sqlc.ServiceFiles(r.cfg.Dir, r.cfg.SQLC.Config, r.display)
	if err != nil || !diags.Empty() {
		return nil, diags, err
	}
	maps.Copy(files, generated)
	made, diags, err := sqlc.Generate(ctx, sqlc.Job{Config: r.cfg.SQLC.Config, Files: files, Display: r.display})
	if err != nil || diags != nil {
		return nil, diags, err
	}
	r.sqlcFolders = folders(made)
	return made, nil, nil
}
