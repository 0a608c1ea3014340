// Package stubs finds the type that implements the generated Handlers interface
// by reading a module's Go files, and writes the methods that it lacks.
package stubs

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// File is the generated file that declares the interface, in the API's folder.
const File = "idempotent.gen.go"

// Handlers is the generated interface.
type Handlers struct {
	// Package is the name of the API's package.
	Package string
	Methods []Method
}

// Method is one method of the interface.
type Method struct {
	Name string
	// Comment is the first line of its comment.
	Comment string
	// Tx says that the method gets a transaction.
	Tx bool
	// Request and Response are types of the API's package.
	Request, Response string
}

// errNotGenerated is of a file that idemgen wouldn't have written.
var errNotGenerated = errors.New("it has no Handlers interface as idemgen writes it; run idemgen generate")

// Parse reads the interface from the generated file.
func Parse(src []byte) (*Handlers, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("%w; run idemgen generate", err)
	}
	h := &Handlers{Package: file.Name.Name}
	var iface *ast.InterfaceType
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.Name == "Handlers" {
			iface, _ = spec.Type.(*ast.InterfaceType)
		}
		return iface == nil
	})
	if iface == nil {
		return nil, errNotGenerated
	}
	for _, field := range iface.Methods.List {
		fn, ok := field.Type.(*ast.FuncType)
		params, results := types(fn, true), types(fn, false)
		if !ok || len(field.Names) != 1 || len(params) < 2 || len(params) > 3 || len(results) != 2 {
			return nil, errNotGenerated
		}
		m := Method{
			Name: field.Names[0].Name, Tx: len(params) == 3,
			Request: lastName(params[len(params)-1]), Response: lastName(results[0]),
		}
		m.Comment, _, _ = strings.Cut(field.Doc.Text(), "\n")
		h.Methods = append(h.Methods, m)
	}
	return h, nil
}

// types lists the types of a function's parameters or results, one for each.
func types(fn *ast.FuncType, params bool) []ast.Expr {
	if fn == nil {
		return nil
	}
	fields := fn.Results
	if params {
		fields = fn.Params
	}
	if fields == nil {
		return nil
	}
	var list []ast.Expr
	for _, field := range fields.List {
		for range max(len(field.Names), 1) {
			list = append(list, field.Type)
		}
	}
	return list
}

// lastName is that of a type, without its package; empty for a pointer.
func lastName(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// takes tells whether a function has the method's signature, whatever its file
// calls the packages.
func (m *Method) takes(fn *ast.FuncType) bool {
	params, results := types(fn, true), types(fn, false)
	want := []string{"Context", m.Request}
	if m.Tx {
		if len(params) != 3 {
			return false
		}
		tx, ok := params[1].(*ast.StarExpr)
		if !ok || lastName(tx.X) != "Tx" {
			return false
		}
		params = []ast.Expr{params[0], params[2]}
	}
	return sameNames(params, want) && sameNames(results, []string{m.Response, "error"})
}

func sameNames(list []ast.Expr, want []string) bool {
	if len(list) != len(want) {
		return false
	}
	for i, expr := range list {
		if lastName(expr) != want[i] {
			return false
		}
	}
	return true
}

// mentions tells whether a function takes the method's request, be it with
// another signature.
func (m *Method) mentions(fn *ast.FuncType) bool {
	for _, expr := range types(fn, true) {
		if lastName(expr) == m.Request {
			return true
		}
	}
	return false
}
