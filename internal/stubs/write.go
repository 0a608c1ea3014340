package stubs

import (
	"bytes"
	"fmt"
	"go/format"
	"go/token"
	gotypes "go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// API says where the interface is, and what its methods need.
type API struct {
	*Handlers
	// Dir is relative to the module's folder, with slashes.
	Dir string
	// ImportPath is that of Dir, Runtime that of the runtime.
	ImportPath, Runtime string
}

// Work is what a type lacks.
type Work struct {
	Type *Type
	// Missing are the methods to be written.
	Missing []Method
	// Wrong are those that are there with another signature.
	Wrong []Wrong

	module *Module
	api    *API
	names  map[string]string // of the imports, by path
}

// Wrong is a method with another signature than the interface has.
type Wrong struct {
	Pos token.Position
	Len int
	// Name is the method's, Want the declaration that it should have.
	Name, Want string
}

// Compare finds what a type lacks of the interface.
func (m *Module) Compare(api *API, t *Type) *Work {
	w := &Work{Type: t, module: m, api: api, names: map[string]string{}}
	for i := range api.Methods {
		method := &api.Methods[i]
		fn, at := m.method(t, method.Name, 0)
		switch {
		case fn == nil:
			w.Missing = append(w.Missing, *method)
		case !method.takes(fn):
			w.Wrong = append(w.Wrong, Wrong{Pos: m.fset.Position(at.Pos()), Len: len(method.Name), Name: method.Name, Want: w.signature(method)})
		}
	}
	return w
}

// Methods is the Go code of the missing methods, to be pasted.
func (w *Work) Methods() string {
	var b strings.Builder
	for i := range w.Missing {
		m := &w.Missing[i]
		if i > 0 {
			b.WriteByte('\n')
		}
		if m.Comment != "" {
			fmt.Fprintf(&b, "// %s\n", m.Comment)
		}
		fmt.Fprintf(&b, "%s {\n\treturn nil, %s.NewProblem(%s.StatusNotImplemented, \"not-implemented\", %q)\n}\n",
			w.signature(m), w.pkg(w.api.Runtime, "idem"), w.pkg("net/http", "http"), m.Name+" is not implemented yet")
	}
	return b.String()
}

// Source is a Go file with the missing methods.
func (w *Work) Source() ([]byte, error) {
	methods := w.Methods()
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\nimport (\n", w.Type.pkg.name)
	var std, others []string
	for importPath, name := range w.names {
		line := strconv.Quote(importPath)
		if path.Base(importPath) != name {
			line = name + " " + line
		}
		if first, _, _ := strings.Cut(importPath, "/"); strings.Contains(first, ".") || importPath == w.api.ImportPath {
			others = append(others, line)
		} else {
			std = append(std, line)
		}
	}
	for i, group := range [][]string{std, others} {
		if i > 0 {
			b.WriteByte('\n')
		}
		slices.SortFunc(group, func(a, b string) int {
			return strings.Compare(a[strings.IndexByte(a, '"'):], b[strings.IndexByte(b, '"'):])
		})
		for _, line := range group {
			fmt.Fprintf(&b, "\t%s\n", line)
		}
	}
	fmt.Fprintf(&b, ")\n\n%s", methods)
	return format.Source(b.Bytes())
}

// Write puts the missing methods into a new file beside the type, and returns
// its path. No file that exists is touched.
func (w *Work) Write() (string, error) {
	source, err := w.Source()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(w.module.root, filepath.FromSlash(w.Type.pkg.dir))
	for n := 1; ; n++ {
		name := "stubs.go"
		if n > 1 {
			name = fmt.Sprintf("stubs%d.go", n)
		}
		name = filepath.Join(dir, name)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // source code is for all to read
		if os.IsExist(err) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(source)
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			_ = os.Remove(name) // half a file doesn't compile
		}
		return name, err
	}
}

// signature is the declaration of a method, up to its body.
func (w *Work) signature(m *Method) string {
	tx := ""
	if m.Tx {
		tx = "tx *" + w.pkg(w.api.Runtime, "idem") + ".Tx, "
	}
	qualifier := ""
	if w.Type.pkg.dir != w.api.Dir {
		qualifier = w.pkg(w.api.ImportPath, w.api.Package) + "."
	}
	ctx := w.pkg("context", "context") + ".Context"
	w.pkg("net/http", "http") // the body's, which the receiver must not hide
	w.pkg(w.api.Runtime, "idem")
	return fmt.Sprintf("func (%s) %s(ctx %s, %srequest %s%s) (%s%s, error)",
		w.receiver(), m.Name, ctx, tx, qualifier, m.Request, qualifier, m.Response)
}

// receiver is written as in the type's other methods.
func (w *Work) receiver() string {
	t := w.Type
	name, goType := strings.ToLower(t.Name[:1]), "*"+t.Name
	if len(t.params) > 0 {
		goType += "[" + strings.Join(t.params, ", ") + "]"
	}
	if len(t.order) > 0 {
		field := t.order[0].Recv.List[0]
		goType = gotypes.ExprString(field.Type)
		if len(field.Names) == 1 && field.Names[0].Name != "_" {
			name = field.Names[0].Name
		}
	}
	if !token.IsIdentifier(name) || slices.Contains([]string{"ctx", "tx", "request"}, name) || w.isImport(name) {
		return goType // the body doesn't need it
	}
	return name + " " + goType
}

func (w *Work) isImport(name string) bool {
	for _, used := range w.names {
		if used == name {
			return true
		}
	}
	return false
}

// pkg is what a package is called in the new file: as in the files beside it, or
// else by a name that nothing there has.
func (w *Work) pkg(importPath, name string) string {
	if known, ok := w.names[importPath]; ok {
		return known
	}
	if known, ok := w.Type.pkg.imports[importPath]; ok {
		name = known
	}
	for w.Type.pkg.declared[name] || w.isImport(name) || slices.Contains([]string{"ctx", "tx", "request"}, name) {
		name = "go" + name
	}
	w.names[importPath] = name
	return name
}
