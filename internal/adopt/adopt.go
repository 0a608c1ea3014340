// Package adopt adds idemgen to a Go module that has its API document, its
// queries and its migrations already.
package adopt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/idemgen/idemgen/internal/config"
	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/generate"
	"github.com/idemgen/idemgen/internal/gomod"
	"github.com/idemgen/idemgen/internal/spec"
)

// Options say where to look, and decide where there are several candidates.
// Paths are relative to the working directory.
type Options struct {
	// Dir is the module's folder.
	Dir string
	// Spec is the OpenAPI document, SQLC the configuration of sqlc, Migrations the
	// folder of goose, API that of the generated server. Each defaults to what is
	// found.
	Spec, SQLC, Migrations, API string
	// Replace is a checkout of idemgen to build against. Defaults to the one that
	// this binary was built from, if it wasn't a release.
	Replace string
}

// Plan is what there is and what is to be done. Lines are for people.
type Plan struct {
	// Found says what the module has.
	Found []string
	// Present are the files that needn't be written.
	Present []string
	// Todo is what only the user can do.
	Todo []string

	dir     string
	files   []newFile
	changes []*gomod.Change
}

type newFile struct {
	name    string
	content []byte
}

// New looks at a module. What is wrong with its files comes as diagnostics; an
// error also says which option decides what can't be decided. Nothing is written.
func New(ctx context.Context, o Options) (*Plan, *diag.Set, error) {
	if _, err := os.Stat(filepath.Join(o.Dir, "go.mod")); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, fmt.Errorf("%s has no go.mod; run it in the folder of your module, or run go mod init first", o.Dir)
		}
		return nil, nil, err
	}
	seen, err := scan(o.Dir)
	if err != nil {
		return nil, nil, err
	}
	a := &adoption{options: o, seen: seen, plan: &Plan{dir: o.Dir}}
	seen.place(a.exists)
	doc, diags, err := a.configuration()
	if err != nil || !diags.Empty() {
		return nil, diags, err
	}
	a.describeSpec(doc)
	a.generateLine()
	if err := a.modules(ctx); err != nil {
		return nil, nil, err
	}
	a.todo(doc)
	return a.plan, nil, nil
}

// adoption is one call of New.
type adoption struct {
	options Options
	seen    *found
	plan    *Plan
	cfg     *config.Config
	oapi    *yaml.Node // options for oapi-codegen, nil for none
	// problems are what the user has to decide.
	problems []error
}

func (a *adoption) exists(name string) bool {
	_, err := os.Lstat(filepath.Join(a.options.Dir, filepath.FromSlash(name)))
	return err == nil
}

func (a *adoption) foundf(format string, args ...any) {
	a.plan.Found = append(a.plan.Found, fmt.Sprintf(format, args...))
}

func (a *adoption) todof(format string, args ...any) {
	a.plan.Todo = append(a.plan.Todo, fmt.Sprintf(format, args...))
}

func (a *adoption) write(name string, content []byte) {
	a.plan.files = append(a.plan.files, newFile{name, content})
}

// configuration reads idemgen.yaml, or decides what will be in it, and reads the
// document that it names.
func (a *adoption) configuration() (*spec.Document, *diag.Set, error) {
	file := filepath.Join(a.options.Dir, configFile)
	if a.exists(configFile) {
		cfg, diags := config.Load(file)
		if !diags.Empty() {
			return nil, diags, nil
		}
		a.cfg = cfg
		a.plan.Present = append(a.plan.Present, configFile)
	} else if err := a.newConfiguration(file); err != nil {
		return nil, nil, err
	}
	doc, diags := generate.LoadSpec(a.cfg)
	return doc, diags, nil
}

// modules prepares go.mod and tools.mod.
func (a *adoption) modules(ctx context.Context) error {
	for _, m := range []struct {
		file string
		plan func(ctx context.Context, dir, replaceDir string) (*gomod.Change, error)
	}{{"go.mod", gomod.PlanRuntime}, {gomod.ToolsFile, gomod.PlanTools}} {
		change, err := m.plan(ctx, a.options.Dir, a.options.Replace)
		switch {
		case err != nil:
			return err
		case change == nil:
			a.plan.Present = append(a.plan.Present, m.file)
		default:
			a.plan.changes = append(a.plan.changes, change)
		}
	}
	return nil
}

// Apply writes what is missing, in this order: new files, tools.mod, go.mod. A
// file that has come into being since isn't overwritten. After an error the new
// files are gone again.
func (p *Plan) Apply() (written []string, err error) {
	defer func() {
		if err != nil {
			for _, f := range p.files[:len(written)] {
				_ = os.Remove(filepath.Join(p.dir, f.name)) // ours, and the error is told
			}
		}
	}()
	for _, f := range p.files {
		if err := create(filepath.Join(p.dir, f.name), f.content); err != nil {
			return written, err
		}
		written = append(written, f.name)
	}
	files := len(written)
	for _, c := range p.changes {
		if err := c.Apply(); err != nil {
			return written[:files], err
		}
	}
	for _, c := range p.changes {
		written = append(written, c.File)
	}
	return written, nil
}

// create writes a file that mustn't be there yet.
func create(name string, content []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		_ = os.Remove(name)
	}
	return err
}
