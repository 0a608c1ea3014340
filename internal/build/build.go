// Package build makes every decision of the generator: from the configuration,
// the spec and what oapi-codegen made of it, to the model that is rendered.
package build

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/config"
	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/ir"
	"github.com/idemgen/idemgen/internal/oapi"
	"github.com/idemgen/idemgen/internal/spec"
)

// RuntimeImport is the import path of the runtime that generated code uses.
const RuntimeImport = "github.com/idemgen/idemgen/runtime"

// Input is what a service is built from.
type Input struct {
	Config *config.Config
	Spec   *spec.Document
	API    *oapi.API
	SQL    ir.SQL
	// Module is the import path of the configuration's folder.
	Module string
	// Queries is what the service's own sqlc has made, by path. It is needed only
	// if an operation names a query.
	Queries map[string][]byte
}

// Service builds the model. The diagnostics are of what can't be generated.
func Service(in Input) (*ir.Service, *diag.Set) {
	diags := &diag.Set{}
	service := &ir.Service{
		Runtime: RuntimeImport,
		API:     goPackage(in.Module, in.Config.API.Dir, in.Config.API.Package),
		Store:   goPackage(in.Module, in.Config.Store.Dir, in.Config.Store.Package),
		SQL:     in.SQL,
	}
	extra := map[string]string{} // imports of the operations' types
	for i := range in.API.Operations {
		def := &in.API.Operations[i]
		source := findOperation(in.Spec, def)
		op := operation(def, source)
		if op.Contract != nil {
			maps.Copy(extra, def.Imports)
			maps.Copy(extra, contractImports(source.Idempotent))
		}
		if op.Contract != nil && source.Idempotent.Query != "" {
			w := writer{in: in, def: def, source: source, diags: diags}
			if op.Contract.Write = w.write(); op.Contract.Write != nil {
				asWrite(&op)
			}
			maps.Copy(extra, w.imports)
		}
		service.Operations = append(service.Operations, op)
	}
	service.Imports = imports(service, extra)
	checkNames(in, service, diags)
	checkRoutes(in, diags)
	return service, diags
}

func goPackage(module, dir, name string) ir.Package {
	return ir.Package{Dir: dir, Name: name, ImportPath: path.Join(module, dir)}
}

func findOperation(doc *spec.Document, def *oapi.Operation) *spec.Operation {
	i := slices.IndexFunc(doc.Operations, func(op *spec.Operation) bool {
		return op.Method == def.Method && op.Path == def.Path
	})
	if i < 0 {
		return nil
	}
	return doc.Operations[i]
}

// imports groups those of the API's idempotent file as goimports would.
func imports(s *ir.Service, extra map[string]string) [][]ir.Import {
	std := []ir.Import{{Path: "net/http"}}
	if len(s.Operations) > 0 {
		std = append(std, ir.Import{Path: "context"})
	}
	others := []ir.Import{{Name: "idem", Path: s.Runtime}, {Path: s.Store.ImportPath}}
	if path.Base(s.Store.ImportPath) != s.Store.Name {
		others[1].Name = s.Store.Name
	}
	for name, importPath := range extra {
		spec := ir.Import{Path: importPath}
		if path.Base(importPath) != name && importPath != pgxImport {
			spec.Name = name
		}
		if first, _, _ := strings.Cut(importPath, "/"); strings.Contains(first, ".") {
			others = append(others, spec)
		} else {
			std = append(std, spec)
		}
	}
	return [][]ir.Import{sorted(std), sorted(others)}
}

// sorted drops the imports that are there twice.
func sorted(specs []ir.Import) []ir.Import {
	slices.SortFunc(specs, func(a, b ir.Import) int { return strings.Compare(a.Path, b.Path) })
	return slices.Compact(specs)
}
