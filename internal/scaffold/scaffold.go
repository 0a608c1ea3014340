// Package scaffold makes new services: all that one needs to build, migrate, run
// and pass its own tests, to be changed by its owner from then on.
package scaffold

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/config"
	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/generate"
	"github.com/idemgen/idemgen/internal/gomod"
	"github.com/idemgen/idemgen/internal/output"
	"github.com/idemgen/idemgen/internal/spec"
	"github.com/idemgen/idemgen/internal/tables"
	"github.com/idemgen/idemgen/templates"
)

// Options are what the user asks for.
type Options struct {
	Dir     string // new or empty
	Spec    string // the OpenAPI document; empty for the starter
	Module  string // the path of the service's module
	Replace string // a checkout of idemgen to build against; empty for what this program is
}

// Service is a service that was made.
type Service struct {
	Name  string
	Files []string // sorted, with slashes
	// Done and Todo are the operations that have a handler and those that don't.
	Done, Todo []Operation
	// Notes are what else is left to do.
	Notes []string
	// Marked counts the operations that the overlay marks; Overlay is its name.
	Marked  int
	Overlay string
}

// Operation is one operation, and in words what its handler does, or why there is
// none.
type Operation struct{ Name, Method, Path, Says string }

// New makes a service. What is wrong with the document comes as diagnostics; then,
// and with an error, nothing is left behind. It needs no network; go.mod and
// tools.mod are to be completed by gomod.Tidy.
func New(ctx context.Context, o Options) (*Service, *diag.Set, error) {
	names, err := newNames(o.Module)
	if err != nil {
		return nil, nil, err
	}
	stage, err := newStage(o.Dir)
	if err != nil {
		return nil, nil, err
	}
	defer stage.discard()
	tool, err := gomod.FindSource(stage.place(), o.Replace)
	if err != nil {
		return nil, nil, err
	}
	s := &service{names: names, tool: tool, stage: stage, files: map[string][]byte{}}
	if diags, err := s.load(o.Spec); err != nil || !diags.Empty() {
		return nil, diags, err
	}
	if diags, err := s.make(ctx); err != nil || !diags.Empty() {
		return nil, diags, err
	}
	files, err := stage.files()
	if err == nil {
		err = stage.move()
	}
	if err != nil {
		return nil, nil, err
	}
	return s.report(files), nil, nil
}

// service is one in the making.
type service struct {
	names
	tool    gomod.Source
	stage   *stage
	source  source
	api     *api
	derived *tables.Derivation
	plans   []*plan
	notes   []string
	overlay string // the name of the file that marks operations; empty for none
	marked  int    // how many it marks
	files   map[string][]byte
}

// load reads the document, or the starter.
func (s *service) load(name string) (*diag.Set, error) {
	s.source = source{path: name, display: name}
	if name == "" {
		starter, err := templates.FS.ReadFile("new/openapi.yaml")
		if err != nil {
			return nil, err
		}
		s.source = source{path: s.stage.path("openapi.yaml"), display: "openapi.yaml"}
		if err := s.stage.write(map[string][]byte{"openapi.yaml": starter}); err != nil {
			return nil, err
		}
	}
	doc, diags := spec.Load(s.source.path, s.source.display)
	if !diags.Empty() {
		return diags, nil
	}
	s.source.doc = doc
	if diags := s.source.copies(); !diags.Empty() {
		return diags, nil
	}
	maps.Copy(s.files, s.source.files)
	return s.mark()
}

// make fills the stage.
func (s *service) make(ctx context.Context) (*diag.Set, error) {
	var diags *diag.Set
	var err error
	if s.api, diags, err = newAPI(s.source.doc, s.Module); err != nil || !diags.Empty() {
		return diags, err
	}
	s.derived = tables.Derive(s.source.doc, config.DefaultTable)
	if len(s.api.without) > 0 {
		var left []string
		for _, o := range s.api.without {
			s.leaveOut(o)
			left = append(left, o.ID)
		}
		s.notes = append(s.notes, fmt.Sprintf("left out, in idemgen.yaml, since the Go of them doesn't compile or net/http can't route them beside the others: %s", strings.Join(left, ", ")))
	}
	s.plans = plans(s.api.operations, s.derived)
	if err := s.inputs(); err != nil {
		return nil, err
	}
	if err := s.stage.write(s.files); err != nil {
		return nil, err
	}
	made, diags, err := generate.Run(ctx, s.stage.path("idemgen.yaml"))
	if err != nil || !diags.Errors().Empty() {
		return s.displayed(diags), err
	}
	plan, err := output.NewPlan(made.Output())
	if err != nil {
		return nil, err
	}
	if _, err := plan.Apply(); err != nil {
		return nil, err
	}
	code, err := s.code(made.Files)
	if err != nil {
		return nil, err
	}
	return nil, s.stage.write(code)
}

// leaveOut drops what was derived from an operation that isn't generated.
func (s *service) leaveOut(o *spec.Operation) {
	d := s.derived
	d.Inserts = slices.DeleteFunc(d.Inserts, func(in tables.Insert) bool { return sameOperation(in.Operation, o) })
	d.Tables = slices.DeleteFunc(d.Tables, func(t tables.Table) bool {
		return !slices.ContainsFunc(d.Inserts, func(in tables.Insert) bool { return in.Table == t.Name })
	})
	for i := range d.Tables {
		for j := range d.Tables[i].Columns {
			c := &d.Tables[i].Columns[j]
			if c.References != "" && !slices.ContainsFunc(d.Tables, func(t tables.Table) bool { return t.Name == c.References }) {
				c.References, c.Index = "", ""
			}
		}
	}
	isGone := func(n tables.Note) bool { return n.Operation == o.Identity() }
	d.Placeholders = slices.DeleteFunc(d.Placeholders, isGone)
}

// displayed moves diagnostics about the copy of the document to the document, and
// others to where the files would be.
func (s *service) displayed(diags *diag.Set) *diag.Set {
	moved := &diag.Set{}
	for _, d := range diags.All() {
		rel, err := filepath.Rel(s.stage.dir, d.Pos.File)
		switch {
		case err != nil:
		case filepath.ToSlash(rel) == s.source.name:
			d.Pos.File = s.source.display
		default:
			d.Pos.File = filepath.Join(s.stage.target, rel)
		}
		moved.Add(d)
	}
	return moved
}

// report says what was made.
func (s *service) report(files []string) *Service {
	r := &Service{Name: s.Service, Files: files, Notes: s.notes, Marked: s.marked, Overlay: s.overlay}
	for _, p := range s.plans {
		op := Operation{Name: p.GoName, Method: p.Method, Path: p.Path}
		switch p.kind {
		case create:
			op.Says = "inserts into " + p.table.Name
		case get:
			op.Says = "reads a row of " + p.table.Name
		case list:
			op.Says = "lists " + p.table.Name
		case todo:
			op.Says = p.why
			r.Todo = append(r.Todo, op)
			continue
		}
		r.Done = append(r.Done, op)
		for _, note := range p.notes {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: %s", p.GoName, note))
		}
	}
	for _, note := range s.derived.Placeholders {
		r.Notes = append(r.Notes, fmt.Sprintf("column %s.%s: %s", note.Table, note.Column, note.Message))
	}
	return r
}
