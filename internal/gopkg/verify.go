package gopkg

import (
	"cmp"
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Problem is an error of Go in a package.
type Problem struct {
	// File and Line are where it is, Message what go/types says.
	File    string
	Line    int
	Message string
	// Declaration is the top-level declaration that it is in, and Receiver the type
	// whose method that is.
	Declaration, Receiver string
	// Names are the identifiers on its line, and the names in the tags there.
	Names []string
}

// Verify type-checks the files with the bodies of their functions, and beside
// them others of the package, in which it looks for no errors and at no bodies.
// Of packages that they import nothing is known, except for those given: what is
// selected from the rest is taken to be right. What does not parse is an error.
func Verify(importPath string, files, beside map[string][]byte, known ...*types.Package) (*types.Package, []Problem, error) {
	v := verifier{fset: token.NewFileSet(), files: map[string]*ast.File{}}
	v.info.Types = map[ast.Expr]types.TypeAndValue{}
	var syntax []*ast.File
	for _, name := range slices.Sorted(maps.Keys(beside)) {
		if f, err := parser.ParseFile(v.fset, name, beside[name], parser.SkipObjectResolution); err == nil {
			withoutBodies(f)
			syntax = append(syntax, f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := parser.ParseFile(v.fset, name, files[name], parser.SkipObjectResolution|parser.ParseComments)
		var list scanner.ErrorList
		if errors.As(err, &list) {
			for _, e := range list {
				v.problems = append(v.problems, Problem{File: name, Line: e.Pos.Line, Message: e.Msg})
			}
			return nil, v.problems, nil
		}
		if err != nil {
			return nil, nil, err
		}
		v.files[name] = f
		syntax = append(syntax, f)
	}
	imports := importer{}
	for _, pkg := range known {
		imports[pkg.Path()] = pkg
	}
	config := types.Config{Importer: imports, Error: v.report}
	pkg, _ := config.Check(importPath, v.fset, syntax, &v.info) // its errors were reported
	for _, e := range v.errors {
		v.problem(e)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		v.unusedImports(name)
	}
	slices.SortFunc(v.problems, func(a, b Problem) int { // go/types has no order of its own
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Message, b.Message))
	})
	return pkg, v.problems, nil
}

// importer knows packages by their paths. go/types takes whatever is selected
// from a package that comes with an error to be right.
type importer map[string]*types.Package

func (i importer) Import(importPath string) (*types.Package, error) {
	if pkg := i[importPath]; pkg != nil {
		return pkg, nil
	}
	return types.NewPackage(importPath, packageName(importPath)), errUnknown
}

var errUnknown = errors.New("not looked at")

type verifier struct {
	fset     *token.FileSet
	files    map[string]*ast.File
	info     types.Info
	errors   []types.Error
	problems []Problem
}

func (v *verifier) report(err error) {
	var e types.Error
	if !errors.As(err, &e) || strings.HasSuffix(e.Msg, "("+errUnknown.Error()+")") || strings.HasPrefix(e.Msg, "\t") {
		return // a package that isn't known, or more about the error before
	}
	v.errors = append(v.errors, e)
}

func (v *verifier) problem(e types.Error) {
	pos := v.fset.Position(e.Pos)
	f := v.files[pos.Filename]
	if f == nil {
		return
	}
	p := Problem{File: pos.Filename, Line: pos.Line, Message: e.Msg}
	for _, decl := range f.Decls {
		if decl.Pos() > e.Pos || e.Pos >= decl.End() {
			continue
		}
		promoted := false
		for n := range ast.Preorder(decl) {
			switch n := n.(type) {
			case *ast.FuncDecl:
				p.Declaration = n.Name.Name
				p.Receiver = receiver(n)
			case *ast.TypeSpec:
				if n.Pos() <= e.Pos && e.Pos < n.End() {
					p.Declaration = n.Name.Name
				}
			case *ast.ValueSpec:
				if p.Declaration == "" { // not one inside of a function
					p.Declaration = n.Names[0].Name
				}
			case *ast.SelectorExpr:
				promoted = promoted || n.Sel.Pos() == e.Pos && embedsUnknown(v.info.TypeOf(n.X))
			case *ast.Field:
				if v.fset.Position(n.Pos()).Line == p.Line {
					p.Names = append(p.Names, tagged(n)...)
				}
			case *ast.Ident:
				if v.fset.Position(n.Pos()).Line == p.Line {
					p.Names = append(p.Names, n.Name)
				}
			}
		}
		if promoted {
			return
		}
	}
	v.problems = append(v.problems, p)
}

func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return ""
	}
	return strings.TrimPrefix(types.ExprString(fn.Recv.List[0].Type), "*")
}

// unusedImports finds those of packages that aren't known: go/types doesn't.
func (v *verifier) unusedImports(file string) {
	used := map[string]bool{}
	for n := range ast.Preorder(v.files[file]) {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok {
				used[x.Name] = true
			}
		}
	}
	for _, spec := range v.files[file].Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		name := packageName(importPath)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if err == nil && name != "_" && !used[name] {
			v.problems = append(v.problems, Problem{File: file, Line: v.fset.Position(spec.Pos()).Line, Message: spec.Path.Value + " imported and not used"})
		}
	}
}

// embedsUnknown tells whether a struct may have fields and methods of a type that
// isn't known.
func embedsUnknown(t types.Type) bool {
	if t == nil {
		return true
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return t.Underlying() == types.Typ[types.Invalid]
	}
	for field := range s.Fields() {
		if field.Embedded() && embedsUnknown(field.Type()) {
			return true
		}
	}
	return false
}

// tagged are the names that a field's tag gives it.
func tagged(f *ast.Field) []string {
	if f.Tag == nil {
		return nil
	}
	text, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return nil
	}
	var names []string
	for _, key := range []string{"json", "form", "yaml"} {
		if value, ok := reflect.StructTag(text).Lookup(key); ok {
			name, _, _ := strings.Cut(value, ",")
			names = append(names, name)
		}
	}
	return slices.Compact(names)
}

func withoutBodies(f *ast.File) {
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			fn.Body = nil
		}
	}
}
