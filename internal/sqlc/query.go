package sqlc

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Query is a query that returns one row, as sqlc has made it.
type Query struct {
	// Dir is the folder of its package, Package the package's name.
	Dir, Package string
	// Method is that of Queries.
	Method string
	// SQL is what is sent, with $1 and so on, and every * written out.
	SQL string
	// ParamsType is the type of its argument, empty if it has none. Types of
	// the package itself are qualified with its name.
	ParamsType string
	// Imports are those that ParamsType needs, path by name.
	Imports map[string]string
	// Args are the parameters in their order: fields of the argument, or ""
	// for the argument itself.
	Args []string
	// Columns are in the order of the row.
	Columns []Column
}

// Column is one column of a query's row.
type Column struct{ GoName, GoType string }

// FindQueries looks through sqlc's output for the queries of a name that return
// one row. There may be one in several packages.
func FindQueries(files map[string][]byte, name string) ([]Query, error) {
	packages := map[string]*output{}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if path.Ext(file) != ".go" {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), "", files[file], parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("sqlc made Go that doesn't parse, %s: %w", file, err)
		}
		dir := path.Dir(file)
		if packages[dir] == nil {
			packages[dir] = &output{consts: map[string]string{}, structs: map[string]*ast.StructType{}}
		}
		packages[dir].add(syntax)
	}
	var found []Query
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		if q, ok := packages[dir].query(name); ok {
			q.Dir = dir
			found = append(found, q)
		}
	}
	return found, nil
}

// output is one package that sqlc made.
type output struct {
	name    string
	consts  map[string]string
	structs map[string]*ast.StructType
	methods []method
}

type method struct {
	decl *ast.FuncDecl
	file *ast.File
}

func (o *output) add(file *ast.File) {
	o.name = file.Name.Name
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				o.methods = append(o.methods, method{d, file})
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				o.declared(spec)
			}
		}
	}
}

func (o *output) declared(spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if t, ok := s.Type.(*ast.StructType); ok {
			o.structs[s.Name.Name] = t
		}
	case *ast.ValueSpec:
		if len(s.Names) == 1 && len(s.Values) == 1 {
			if lit, ok := s.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				o.consts[s.Names[0].Name], _ = strconv.Unquote(lit.Value) // it has been parsed
			}
		}
	}
}

// query reads a :one method:
//
//	func (q *Queries) Name(ctx context.Context, arg Params) (Row, error) {
//		row := q.db.QueryRow(ctx, sql, arg.A, arg.B)
func (o *output) query(name string) (Query, bool) {
	i := slices.IndexFunc(o.methods, func(m method) bool { return m.decl.Name.Name == name })
	if i < 0 {
		return Query{}, false
	}
	decl, file := o.methods[i].decl, o.methods[i].file
	call := queryRow(decl)
	if call == nil || len(call.Args) < 2 || decl.Type.Results == nil || len(decl.Type.Results.List) != 2 {
		return Query{}, false
	}
	constant, _ := call.Args[1].(*ast.Ident)
	if constant == nil || o.consts[constant.Name] == "" {
		return Query{}, false
	}
	q := Query{Package: o.name, Method: name, SQL: o.consts[constant.Name]}
	for _, arg := range call.Args[2:] {
		field := ""
		if sel, ok := arg.(*ast.SelectorExpr); ok {
			field = sel.Sel.Name
		}
		q.Args = append(q.Args, field)
	}
	params := decl.Type.Params.List
	if last := unpointed(params[len(params)-1].Type); len(q.Args) > 0 {
		q.ParamsType, q.Imports = o.qualified(last, file)
	}
	q.Columns = o.columns(decl.Type.Results.List[0].Type)
	return q, len(q.Columns) > 0
}

// queryRow finds the call of the database.
func queryRow(decl *ast.FuncDecl) (call *ast.CallExpr) {
	ast.Inspect(decl, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if sel, ok := c.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "QueryRow" {
				call = c
			}
		}
		return call == nil
	})
	return call
}

// columns are the fields of the row's struct, in whose order sqlc scans them, or
// the one value.
func (o *output) columns(row ast.Expr) (columns []Column) {
	ident, _ := unpointed(row).(*ast.Ident)
	if ident == nil || o.structs[ident.Name] == nil {
		return []Column{{"", types.ExprString(row)}}
	}
	for _, field := range o.structs[ident.Name].Fields.List {
		for _, name := range field.Names {
			columns = append(columns, Column{name.Name, types.ExprString(field.Type)})
		}
	}
	return columns
}

// unpointed undoes emit_params_struct_pointers and emit_result_struct_pointers.
func unpointed(expr ast.Expr) ast.Expr {
	if star, ok := expr.(*ast.StarExpr); ok {
		if ident, ok := star.X.(*ast.Ident); ok && ident.IsExported() {
			return ident
		}
	}
	return expr
}

// qualified writes a type as another package does.
func (o *output) qualified(expr ast.Expr, file *ast.File) (string, map[string]string) {
	imports := map[string]string{}
	ast.Inspect(expr, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := sel.X.(*ast.Ident); ok {
				imports[pkg.Name] = importPath(file, pkg.Name)
			}
			return false
		}
		return true
	})
	text := types.ExprString(expr)
	if base := strings.TrimLeft(text, "*[]"); ast.IsExported(base) && !strings.Contains(base, ".") {
		text = text[:len(text)-len(base)] + o.name + "." + base
	}
	return text, imports
}

func importPath(file *ast.File, name string) string {
	for _, spec := range file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value) // it has been parsed
		if spec.Name != nil && spec.Name.Name == name || spec.Name == nil && strings.TrimPrefix(path.Base(p), "go-") == name {
			return p
		}
	}
	return ""
}
