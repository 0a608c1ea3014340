package spec

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"strings"

	"golang.org/x/mod/module"

	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// goExtension checks the extensions of oapi-codegen whose values become Go: a
// document is a stranger's, and may name types and packages, but hold no code.
func (w *walker) goExtension(e doctree.Entry) {
	v := e.Value
	switch e.Key.Value {
	case "x-go-name", "x-go-type-name":
		if v.Kind == doctree.String && !gotoken.IsIdentifier(v.Value) {
			w.notGo(v, "%s: %s is not a Go identifier; write a name such as OrderID", e.Key.Value, quoted(v))
		}
	case "x-go-type":
		if v.Kind == doctree.String && !isType(v.Value) {
			w.notGo(v, "x-go-type: %s is not the name of a Go type; write one such as uuid.UUID, *Order or []string", quoted(v))
		}
	case "x-go-type-import":
		for _, field := range v.Entries {
			w.goImport(field)
		}
	case "x-enum-varnames", "x-enumNames":
		for _, item := range v.Items {
			if item.Kind == doctree.String && strings.ContainsFunc(item.Value, isControl) {
				w.notGo(item, "%s: %s has a control character", e.Key.Value, quoted(item))
			}
		}
	}
}

func (w *walker) goImport(field doctree.Entry) {
	v := field.Value
	switch strings.ToLower(field.Key.Value) {
	case "name":
		if v.Kind == doctree.String && v.Value != "" && (!gotoken.IsIdentifier(v.Value) || v.Value == "_") {
			w.notGo(v, "x-go-type-import: %s is not a name for a package; write an identifier, or leave it out", quoted(v))
		}
	case "path":
		if v.Kind == doctree.String && (module.CheckImportPath(v.Value) != nil || v.Value == "C" || v.Value == "unsafe") {
			w.notGo(v, "x-go-type-import: %s is not the import path of a package that is allowed; write one such as github.com/google/uuid", quoted(v))
		}
	}
}

func (w *walker) notGo(n *doctree.Node, format string, args ...any) {
	w.diags.Addf(n.Pos(), n.Len(), RuleGo, format, args...)
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// isType tells whether text names a type, or one made of named types.
func isType(text string) bool {
	if strings.ContainsFunc(text, isControl) || strings.Contains(text, "//") || strings.Contains(text, "/*") {
		return false
	}
	expr, err := parser.ParseExpr(text)
	return err == nil && isTypeExpr(expr)
}

func isTypeExpr(expr ast.Expr) bool {
	switch t := expr.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		_, ok := t.X.(*ast.Ident)
		return ok
	case *ast.StarExpr:
		return isTypeExpr(t.X)
	case *ast.ArrayType:
		length, ok := t.Len.(*ast.BasicLit)
		return (t.Len == nil || ok && length.Kind == gotoken.INT) && isTypeExpr(t.Elt)
	case *ast.MapType:
		return isTypeExpr(t.Key) && isTypeExpr(t.Value)
	case *ast.IndexExpr:
		return isTypeExpr(t.X) && isTypeExpr(t.Index)
	case *ast.IndexListExpr:
		for _, arg := range t.Indices {
			if !isTypeExpr(arg) {
				return false
			}
		}
		return isTypeExpr(t.X)
	case *ast.StructType:
		return len(t.Fields.List) == 0
	case *ast.InterfaceType:
		return len(t.Methods.List) == 0
	}
	return false
}
