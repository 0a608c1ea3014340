// Package generate runs the stages of the generator, from the configuration to
// the files in memory.
package generate

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/mod/modfile"

	"github.com/idemgen/idemgen/internal/build"
	"github.com/idemgen/idemgen/internal/config"
	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/ir"
	"github.com/idemgen/idemgen/internal/migrations"
	"github.com/idemgen/idemgen/internal/oapi"
	"github.com/idemgen/idemgen/internal/output"
	"github.com/idemgen/idemgen/internal/render"
	"github.com/idemgen/idemgen/internal/spec"
	"github.com/idemgen/idemgen/internal/sqlc"
)

// The rules of this package.
const (
	ruleModule    = "config/module"
	ruleMigration = "migration/table"
	ruleOAPI      = "openapi/oapi-codegen"
)

// Generated is all that one run makes.
type Generated struct {
	// Dir is the folder that the paths of Files are relative to.
	Dir string
	// Files holds the content by path, with slashes.
	Files map[string][]byte
}

// Run generates the service of the configuration at configPath. What is wrong
// with its inputs comes as diagnostics; the error is for all else. Nothing is
// written. It is safe for concurrent use.
func Run(ctx context.Context, configPath string) (*Generated, *diag.Set, error) {
	cfg, diags := config.Load(configPath)
	if cfg == nil || !diags.Empty() {
		return nil, diags, nil
	}
	r := &run{cfg: cfg, diags: diags}
	return r.run(ctx)
}

type run struct {
	cfg   *config.Config
	diags *diag.Set
}

func (r *run) run(ctx context.Context) (*Generated, *diag.Set, error) {
	doc, diags := spec.Load(filepath.Join(r.cfg.Dir, filepath.FromSlash(r.cfg.Spec)), r.display(r.cfg.Spec))
	r.diags.Merge(diags)
	module, err := r.module()
	if err != nil {
		return nil, nil, err
	}
	sql, err := r.sql()
	if err != nil || !r.diags.Empty() {
		return nil, r.diags, err
	}

	// The parts don't depend on each other, except for operations that name a
	// query of the service. Each sqlc is another process.
	sqlFiles := render.SQL(sql)
	service := once(func() (map[string][]byte, *diag.Set, error) { return r.service(ctx, sqlFiles) })
	parts := []func() (map[string][]byte, *diag.Set, error){
		func() (map[string][]byte, *diag.Set, error) { return r.api(doc, sql, module, service) },
		func() (map[string][]byte, *diag.Set, error) { return r.store(ctx, sql) },
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
	files := sqlFiles
	for _, c := range results {
		res := <-c
		err = errors.Join(err, res.err)
		r.diags.Merge(res.diags)
		maps.Copy(files, res.files)
	}
	if err != nil || !r.diags.Empty() {
		return nil, r.diags, err
	}
	foreign, err := output.Check(r.cfg.Dir, files, r.display)
	r.diags.Merge(foreign)
	return &Generated{Dir: r.cfg.Dir, Files: files}, r.diags, err
}

// display is how messages name a path of the configuration: as one would from
// where the command was run.
func (r *run) display(name string) string {
	return filepath.Join(filepath.Dir(r.cfg.File), filepath.FromSlash(name))
}

// module is the import path of the configuration's folder.
func (r *run) module() (string, error) {
	dir, err := filepath.Abs(r.cfg.Dir)
	if err != nil {
		return "", err
	}
	for root := dir; ; root = filepath.Dir(root) {
		content, err := os.ReadFile(filepath.Join(root, "go.mod"))
		if err == nil {
			rel, err := filepath.Rel(root, dir)
			return path.Join(modfile.ModulePath(content), filepath.ToSlash(rel)), err
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if root == filepath.Dir(root) {
			r.diags.Addf(diag.Pos{File: r.cfg.File}, 0, ruleModule,
				"there is no go.mod in this folder or above it, and the generated packages need import paths; run go mod init first")
			return "", nil
		}
	}
}

// sql finds the record's migration, or the name that it will have.
func (r *run) sql() (ir.SQL, error) {
	dir := r.cfg.DB.Migrations
	sql := ir.SQL{Table: r.cfg.Store.Table, Queries: path.Join(r.cfg.DB.Queries, "idempotency.sql")}
	files, err := migrations.Read(filepath.Join(r.cfg.Dir, filepath.FromSlash(dir)))
	if err != nil {
		return sql, err
	}
	for _, trap := range migrations.Traps(files) {
		r.diags.Addf(diag.Pos{File: r.display(path.Join(dir, trap.File)), Line: trap.Line, Col: trap.Col}, trap.Len, trap.Rule, "%s", trap.Message)
	}
	if file, ok := migrations.Marked(files, render.MigrationMark(sql.Table)+"\n"); ok {
		sql.Migration, sql.MigrationExists = path.Join(dir, file.Name), true
		sql.Cleanup = r.cleanupJob(files, sql.Table)
		return sql, nil
	}
	if file, ok := migrations.Marked(files, render.MigrationMark("")); ok {
		r.diags.Addf(r.cfg.Pos("store.table"), len(sql.Table), ruleMigration,
			"%s has made the table under another name; keep that name, or remove the migration if it was never applied", r.display(path.Join(dir, file.Name)))
		return sql, nil
	}
	next := migrations.Next(files, "idempotency", time.Now())
	sql.Migration = path.Join(dir, next)
	sql.Cleanup = r.cleanupJob(migrations.With(files, next), sql.Table)
	return sql, nil
}

// cleanupJob is the job in pg_cron, unless the last migration that makes it has
// the schedule that is configured. Without a schedule a job that was made stays.
func (r *run) cleanupJob(files []migrations.File, table string) *ir.CleanupJob {
	schedule := r.cfg.Cleanup.PGCron
	before := migrations.LastMarked(files, render.CleanupMark(table))
	if schedule == "" || schedule == before {
		return nil
	}
	next := migrations.Next(files, "idempotency_cleanup", time.Now())
	return &ir.CleanupJob{Migration: path.Join(r.cfg.DB.Migrations, next), Schedule: schedule, Before: before}
}

// api is oapi-codegen's file and ours beside it.
func (r *run) api(doc *spec.Document, sql ir.SQL, module string, service func() (map[string][]byte, *diag.Set, error)) (map[string][]byte, *diag.Set, error) {
	document, err := doc.OpenAPI()
	if err != nil {
		return nil, nil, err
	}
	api, err := oapi.Generate(document, r.cfg.API.Package)
	if err != nil {
		diags := &diag.Set{}
		pos, length := locate(doc, err.Error())
		diags.Addf(pos, length, ruleOAPI, "oapi-codegen can't generate this document: %s", err)
		return nil, diags, nil
	}
	in := build.Input{Config: r.cfg, Spec: doc, API: api, SQL: sql, Module: module}
	if slices.ContainsFunc(doc.Operations, func(op *spec.Operation) bool { return op.Idempotent != nil && op.Idempotent.Query != "" }) {
		queries, diags, err := service()
		if err != nil || !diags.Empty() {
			return nil, nil, nil // it speaks for itself
		}
		in.Queries = queries
	}
	model, diags := build.Service(in)
	if !diags.Empty() {
		return nil, diags, nil
	}
	files, err := render.Go(model)
	if err != nil {
		return nil, nil, err
	}
	files[path.Join(r.cfg.API.Dir, "api.gen.go")] = api.Code
	return files, nil, nil
}

// store is sqlc's output over the canonical SQL. A migration that exists is
// not read: it is the user's to add to, and its table is the one we know.
func (r *run) store(ctx context.Context, sql ir.SQL) (map[string][]byte, *diag.Set, error) {
	const configFile = "sqlc.idemgen.yaml"
	conf, err := render.SQLCConfig(sql.Migration, sql.Queries, ir.Package{Dir: r.cfg.Store.Dir, Name: r.cfg.Store.Package})
	if err != nil {
		return nil, nil, err
	}
	return sqlc.Generate(ctx, sqlc.Job{
		Config: configFile,
		Files: map[string][]byte{
			configFile:    conf,
			sql.Migration: render.Migration(sql.Table),
			sql.Queries:   render.Queries(sql.Table),
		},
		Display: r.display,
	})
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
	return made, nil, nil
}
