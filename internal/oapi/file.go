package oapi

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
)

// file is oapi-codegen's output, parsed.
type file struct {
	syntax         *ast.File
	server, strict map[string]*ast.FuncType // methods by name
}

func parse(code []byte) (*file, error) {
	syntax, err := parser.ParseFile(token.NewFileSet(), "", code, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("oapi-codegen made Go that doesn't parse: %w", err)
	}
	f := &file{syntax: syntax}
	f.server = f.methods("ServerInterface")
	f.strict = f.methods("StrictServerInterface")
	return f, nil
}

// methods returns those of the interface with this name.
func (f *file) methods(name string) map[string]*ast.FuncType {
	methods := map[string]*ast.FuncType{}
	for _, decl := range f.syntax.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			ts, ok := spec.(*ast.TypeSpec)
			if !ok || ts.Name.Name != name {
				continue
			}
			iface, ok := ts.Type.(*ast.InterfaceType)
			if !ok {
				continue
			}
			for _, m := range iface.Methods.List {
				if fn, ok := m.Type.(*ast.FuncType); ok && len(m.Names) == 1 {
					methods[m.Names[0].Name] = fn
				}
			}
		}
	}
	return methods
}

func (f *file) declared() map[string]bool {
	names := map[string]bool{}
	for _, decl := range f.syntax.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					names[s.Name.Name] = true
				case *ast.ValueSpec:
					for _, name := range s.Names {
						names[name.Name] = true
					}
				}
			}
		}
	}
	return names
}

func (f *file) operation(def *codegen.OperationDefinition) (Operation, error) {
	op := Operation{
		Method:  strings.ToUpper(def.Method),
		Path:    def.Path,
		Pattern: strings.ToUpper(def.Method) + " " + codegen.SwaggerUriToStdHttpUri(def.Path),
		GoName:  def.HandlerName(),
		Summary: def.Summary,
	}
	server, strict := f.server[op.GoName], f.strict[op.GoName]
	if server == nil || strict == nil || len(strict.Params.List) != 2 || strict.Results == nil || len(strict.Results.List) != 2 {
		return op, fmt.Errorf("oapi-codegen made no method %s for %s %s", op.GoName, op.Method, op.Path)
	}
	op.RequestType = types.ExprString(strict.Params.List[1].Type)
	op.ResponseType = types.ExprString(strict.Results.List[0].Type)
	for _, field := range server.Params.List[2:] {
		for range max(len(field.Names), 1) {
			op.Args = append(op.Args, types.ExprString(field.Type))
		}
		f.collectImports(&op, field.Type)
	}
	for _, p := range def.PathParams {
		op.PathParams = append(op.PathParams, PathParam{p.ParamName, p.SanitizedParamName()})
	}
	for _, p := range def.QueryParams {
		op.QueryParams = append(op.QueryParams, p.ParamName)
	}
	op.StreamedBody = slices.ContainsFunc(def.Bodies, func(b codegen.RequestBodyDefinition) bool { return !fixedBody(b) })
	op.ResponseHeaders = responseHeaders(def)
	return op, nil
}

// responseHeaders are the headers of all responses, each once, sorted.
func responseHeaders(def *codegen.OperationDefinition) []string {
	var names []string
	for _, response := range def.Responses {
		for _, header := range response.Headers {
			names = append(names, header.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// collectImports notes which of the file's imports a type refers to.
func (f *file) collectImports(op *Operation, expr ast.Expr) {
	ast.Inspect(expr, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if pkg, ok := sel.X.(*ast.Ident); ok {
			if importPath := f.importPath(pkg.Name); importPath != "" {
				if op.Imports == nil {
					op.Imports = map[string]string{}
				}
				op.Imports[pkg.Name] = importPath
			}
		}
		return true
	})
}

func (f *file) importPath(name string) string {
	for _, spec := range f.syntax.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if spec.Name != nil && spec.Name.Name == name || spec.Name == nil && path.Base(importPath) == name {
			return importPath
		}
	}
	return ""
}
