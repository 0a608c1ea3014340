package stubs

import (
	"bytes"
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Module is the Go code of a module, read as it is needed.
type Module struct {
	root, path string
	fset       *token.FileSet
	packages   map[string]*goPackage // by folder, relative to the root, with slashes
}

// NewModule is the module whose go.mod is in the folder root.
func NewModule(root, modulePath string) *Module {
	return &Module{root: root, path: modulePath, fset: token.NewFileSet(), packages: map[string]*goPackage{}}
}

// goPackage is what the files of one folder declare that are built here.
type goPackage struct {
	dir, name string
	declared  map[string]bool
	imports   map[string]string // name by path
	types     map[string]*Type
}

// Type is a declared type.
type Type struct {
	Name string
	// Pos is where it is declared.
	Pos token.Position

	pkg       *goPackage
	generated bool
	params    []string // of a generic type
	iface     *ast.InterfaceType
	embeds    []embed
	methods   map[string]*ast.FuncDecl
	order     []*ast.FuncDecl // the methods as they stand
}

// embed is an embedded type: its name, and the package's import path, empty for
// the same one.
type embed struct{ path, name string }

// load reads the package in a folder, nil when there is none.
func (m *Module) load(dir string) (*goPackage, error) {
	if pkg, ok := m.packages[dir]; ok {
		return pkg, nil
	}
	abs := filepath.Join(m.root, filepath.FromSlash(dir))
	entries, err := os.ReadDir(abs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	pkg := &goPackage{dir: dir, declared: map[string]bool{}, imports: map[string]string{}, types: map[string]*Type{}}
	var files []*ast.File
	for _, e := range entries {
		name := e.Name()
		if !isSource(name) || e.IsDir() {
			continue
		}
		if match, err := build.Default.MatchFile(abs, name); err != nil || !match {
			continue // not of this platform, or not Go
		}
		file, err := parser.ParseFile(m.fset, filepath.Join(abs, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		pkg.name = file.Name.Name
	}
	if len(files) == 0 {
		pkg = nil
	}
	for _, file := range files {
		m.declarations(pkg, file)
	}
	for _, file := range files { // once all types are known
		methods(pkg, file)
	}
	m.packages[dir] = pkg
	return pkg, nil
}

func isSource(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && name[0] != '.' && name[0] != '_'
}

func (m *Module) declarations(pkg *goPackage, file *ast.File) {
	imports := map[string]string{} // path by name
	for _, spec := range file.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := path.Base(importPath)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = importPath
		if spec.Name != nil && name != "." && name != "_" {
			pkg.imports[importPath] = name
		}
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				pkg.declared[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.ValueSpec:
					for _, name := range s.Names {
						pkg.declared[name.Name] = true
					}
				case *ast.TypeSpec:
					pkg.declared[s.Name.Name] = true
					t := &Type{
						Name: s.Name.Name, Pos: m.fset.Position(s.Name.Pos()),
						pkg: pkg, generated: ast.IsGenerated(file), methods: map[string]*ast.FuncDecl{},
					}
					t.shape(s, imports)
					pkg.types[t.Name] = t
				}
			}
		}
	}
}

// shape notes what the type embeds.
func (t *Type) shape(spec *ast.TypeSpec, imports map[string]string) {
	if spec.TypeParams != nil {
		for _, field := range spec.TypeParams.List {
			for _, name := range field.Names {
				t.params = append(t.params, name.Name)
			}
		}
	}
	var fields *ast.FieldList
	switch s := spec.Type.(type) {
	case *ast.StructType:
		fields = s.Fields
	case *ast.InterfaceType:
		t.iface, fields = s, s.Methods
	default:
		return
	}
	for _, field := range fields.List {
		if len(field.Names) > 0 {
			continue
		}
		expr := field.Type
		if star, ok := expr.(*ast.StarExpr); ok {
			expr = star.X
		}
		switch e := expr.(type) {
		case *ast.Ident:
			t.embeds = append(t.embeds, embed{"", e.Name})
		case *ast.SelectorExpr:
			if pkg, ok := e.X.(*ast.Ident); ok {
				t.embeds = append(t.embeds, embed{imports[pkg.Name], e.Sel.Name})
			}
		}
	}
}

func methods(pkg *goPackage, file *ast.File) {
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Recv == nil || len(fn.Recv.List) != 1 {
			continue
		}
		if t := pkg.types[receiver(fn.Recv.List[0].Type)]; t != nil {
			t.methods[fn.Name.Name] = fn
			t.order = append(t.order, fn)
		}
	}
}

// receiver is the name of a receiver's type.
func receiver(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.ParenExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	}
	return ""
}

// folders lists those of the module's packages, and of them the ones with a file
// that isn't generated and has the text.
func (m *Module) folders(text string) ([]string, error) {
	var dirs []string
	err := filepath.WalkDir(m.root, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return m.enter(name, e.Name())
		case !isSource(e.Name()) || !e.Type().IsRegular():
			return nil
		}
		rel, err := filepath.Rel(m.root, filepath.Dir(name))
		if dir := filepath.ToSlash(rel); err == nil && !slices.Contains(dirs, dir) {
			content, readErr := os.ReadFile(name) //nolint:gosec // the user's own module
			if err = readErr; err == nil && bytes.Contains(content, []byte(text)) && !generatedLine(content) {
				dirs = append(dirs, dir)
			}
		}
		return err
	})
	return dirs, err
}

// enter leaves out folders that the go command leaves out, and other modules.
func (m *Module) enter(name, base string) error {
	if name == m.root {
		return nil
	}
	if base[0] == '.' || base[0] == '_' || base == "testdata" || base == "vendor" || base == "node_modules" {
		return filepath.SkipDir
	}
	if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil {
		return filepath.SkipDir
	}
	return nil
}

// generatedLine finds the mark of generated code, which stands before the package.
func generatedLine(content []byte) bool {
	head, _, _ := bytes.Cut(content, []byte("\npackage "))
	return bytes.Contains(head, []byte("// Code generated ")) && bytes.Contains(head, []byte(" DO NOT EDIT."))
}
