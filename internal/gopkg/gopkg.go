// Package gopkg type-checks generated packages without their dependencies: it
// tells whether their declarations fit together, and what their types are.
package gopkg

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
)

// Package is a package that was checked.
type Package struct {
	*types.Package

	// sources are the types that others were declared from: in `type A B`, B of A.
	sources map[string]string
}

// Universe is what packages that were checked together import. Their types are
// comparable with each other. It isn't safe for concurrent use.
type Universe struct {
	packages map[string]*types.Package
}

// NewUniverse is empty.
func NewUniverse() *Universe {
	return &Universe{map[string]*types.Package{"unsafe": types.Unsafe}}
}

// Check checks the declarations of a package; the bodies of its functions are
// left to the compiler.
func (u *Universe) Check(importPath string, files map[string][]byte) (*Package, error) {
	fset := token.NewFileSet()
	p := &Package{sources: map[string]string{}}
	var syntax []*ast.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := parser.ParseFile(fset, name, files[name], parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		u.declareImports(f)
		p.noteSources(f)
		syntax = append(syntax, f)
	}
	var problems []error
	config := types.Config{
		IgnoreFuncBodies: true,
		Importer:         u,
		Error:            func(err error) { problems = append(problems, err) },
	}
	pkg, err := config.Check(importPath, fset, syntax, nil)
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	p.Package = pkg
	return p, err
}

// Import is what go/types calls.
func (u *Universe) Import(importPath string) (*types.Package, error) {
	if pkg := u.packages[importPath]; pkg != nil {
		return pkg, nil
	}
	return nil, fmt.Errorf("%s isn't known", importPath)
}

// declareImports declares in each imported package whatever the file selects
// from it, as a type: outside of function bodies nothing else is selected.
func (u *Universe) declareImports(f *ast.File) {
	byName := map[string]*types.Package{}
	for _, spec := range f.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		pkg := u.packages[importPath]
		if pkg == nil {
			pkg = types.NewPackage(importPath, packageName(importPath))
			pkg.MarkComplete()
			u.packages[importPath] = pkg
		}
		name := pkg.Name()
		if spec.Name != nil {
			name = spec.Name.Name
		}
		byName[name] = pkg
	}
	declare := func(expr ast.Expr, underlying types.Type) {
		if sel, ok := expr.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && byName[x.Name] != nil {
				u.declare(byName[x.Name], sel.Sel.Name, underlying)
			}
		}
	}
	for n := range ast.Preorder(f) {
		if t, ok := n.(*ast.InterfaceType); ok {
			for _, m := range t.Methods.List {
				declare(m.Type, types.NewInterfaceType(nil, nil)) // one that is embedded
			}
		}
	}
	for n := range ast.Preorder(f) {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			declare(sel, types.NewStruct(nil, nil))
		}
	}
}

// declare declares a type, which is of its own kind unless its kind matters.
func (u *Universe) declare(pkg *types.Package, name string, underlying types.Type) {
	if pkg.Scope().Lookup(name) != nil {
		return
	}
	object := types.NewTypeName(token.NoPos, pkg, name, nil)
	switch pkg.Path() + "." + name {
	case "encoding/json.RawMessage":
		types.NewNamed(object, types.NewSlice(types.Typ[types.Byte]), nil)
	case "github.com/oapi-codegen/runtime/types.Email":
		types.NewNamed(object, types.Typ[types.String], nil)
	case "github.com/oapi-codegen/runtime/types.UUID":
		types.NewAlias(object, u.Named("github.com/google/uuid", "UUID"))
	default:
		types.NewNamed(object, underlying, nil)
	}
	pkg.Scope().Insert(object)
}

// Named is a type of an imported package.
func (u *Universe) Named(importPath, name string) types.Type {
	pkg := u.packages[importPath]
	if pkg == nil {
		pkg = types.NewPackage(importPath, packageName(importPath))
		pkg.MarkComplete()
		u.packages[importPath] = pkg
	}
	u.declare(pkg, name, types.NewStruct(nil, nil))
	return pkg.Scope().Lookup(name).Type()
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// packageName is the name that a path suggests.
func packageName(importPath string) string {
	if base := path.Base(importPath); !majorVersion.MatchString(base) {
		return base
	}
	return path.Base(path.Dir(importPath))
}

func (p *Package) noteSources(f *ast.File) {
	for _, decl := range f.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			if ts, ok := spec.(*ast.TypeSpec); ok {
				if from, ok := ts.Type.(*ast.Ident); ok {
					p.sources[ts.Name.Name] = from.Name
				}
			}
		}
	}
}

// Type is the package's type of a name, or nil.
func (p *Package) Type(name string) types.Type {
	if object, ok := p.Scope().Lookup(name).(*types.TypeName); ok {
		return object.Type()
	}
	return nil
}

// Source is the type that t was declared from, such as B in `type A B`, if it is
// one of the package too; else t itself.
func (p *Package) Source(t types.Type) types.Type {
	for range 10 { // Go allows no cycle
		named, ok := types.Unalias(t).(*types.Named)
		if !ok || named.Obj().Pkg() != p.Package {
			return t
		}
		from := p.Type(p.sources[named.Obj().Name()])
		if from == nil {
			return t
		}
		t = from
	}
	return t
}
