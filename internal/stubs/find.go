package stubs

import (
	"fmt"
	"go/ast"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// method finds a method of the type, be it promoted from an embedded one of the
// same module: its signature, and what to say of its place.
func (m *Module) method(t *Type, name string, depth int) (*ast.FuncType, ast.Node) {
	if fn := t.methods[name]; fn != nil {
		return fn.Type, fn.Name
	}
	if t.iface != nil {
		for _, field := range t.iface.Methods.List {
			if fn, ok := field.Type.(*ast.FuncType); ok && len(field.Names) == 1 && field.Names[0].Name == name {
				return fn, field
			}
		}
	}
	const maxDepth = 10 // of embedded types, which may be a cycle
	if depth > maxDepth {
		return nil, nil
	}
	for _, e := range t.embeds {
		if inner := m.embedded(t, e); inner != nil {
			if fn, at := m.method(inner, name, depth+1); fn != nil {
				return fn, at
			}
		}
	}
	return nil, nil
}

// embedded resolves an embedded type, nil when it is of another module.
func (m *Module) embedded(t *Type, e embed) *Type {
	pkg := t.pkg
	if e.path != "" {
		dir, ok := strings.CutPrefix(e.path+"/", m.path+"/")
		if !ok {
			return nil
		}
		var err error
		if pkg, err = m.load(strings.TrimSuffix(dir, "/")); err != nil || pkg == nil {
			return nil // the compiler will say it
		}
	}
	return pkg.types[e.name]
}

// Options choose the type; each may be empty.
type Options struct {
	// Type is its name.
	Type string
	// Dir is the folder of its package.
	Dir string
}

// NotFoundError says that no type, or more than one, may be meant.
type NotFoundError struct{ Message string }

// Error gives the message.
func (e *NotFoundError) Error() string { return e.Message }

// Find returns the type that implements the interface: the one with the most of
// its methods among those that aren't generated. With both options it may have none.
func (m *Module) Find(h *Handlers, o Options) (*Type, error) {
	candidates, err := m.candidates(o)
	if err != nil {
		return nil, err
	}
	var best []*Type
	score := 0
	if o.Type == "" {
		score = 1
	}
	for _, t := range candidates {
		switch n := m.score(h, t); {
		case n > score:
			best, score = []*Type{t}, n
		case n == score:
			best = append(best, t)
		}
	}
	switch {
	case len(best) == 1:
		return best[0], nil
	case len(best) == 0 && o.Type != "":
		return nil, &NotFoundError{fmt.Sprintf("there is no type %s in the module's own Go files; look at --type and --dir", o.where())}
	case len(best) == 0:
		return nil, &NotFoundError{"no type has a method of Handlers yet; name the one that will have them with --type, and its folder with --dir"}
	}
	var names []string
	for _, t := range best {
		names = append(names, fmt.Sprintf("%s (%s)", t.Name, m.relative(t)))
	}
	return nil, &NotFoundError{fmt.Sprintf("more than one type may be meant: %s; choose with --type and --dir", strings.Join(names, ", "))}
}

func (o Options) where() string {
	if o.Dir == "" {
		return o.Type
	}
	return o.Type + " in " + o.Dir
}

func (m *Module) relative(t *Type) string {
	rel, err := filepath.Rel(m.root, t.Pos.Filename)
	if err != nil {
		rel = t.Pos.Filename
	}
	return fmt.Sprintf("%s:%d", filepath.ToSlash(rel), t.Pos.Line)
}

func (m *Module) candidates(o Options) ([]*Type, error) {
	var dirs []string
	switch {
	case o.Dir != "":
		abs, err := filepath.Abs(o.Dir)
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(m.root, abs)
		if err != nil || !filepath.IsLocal(rel) {
			return nil, &NotFoundError{fmt.Sprintf("%s is not in the module %s", o.Dir, m.path)}
		}
		dirs = []string{filepath.ToSlash(rel)}
	default:
		text := "RequestObject" // of oapi-codegen, which every method takes
		if o.Type != "" {
			text = o.Type
		}
		var err error
		if dirs, err = m.folders(text); err != nil {
			return nil, err
		}
	}
	var types []*Type
	for _, dir := range dirs {
		pkg, err := m.load(dir)
		if err != nil {
			return nil, err
		}
		if pkg == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(pkg.types)) {
			if t := pkg.types[name]; !t.generated && t.iface == nil && (o.Type == "" || o.Type == name) {
				types = append(types, t)
			}
		}
	}
	return types, nil
}

// score counts the methods that take a request of the interface. A client's
// methods may well have the same names.
func (m *Module) score(h *Handlers, t *Type) int {
	n := 0
	for i := range h.Methods {
		if fn, _ := m.method(t, h.Methods[i].Name, 0); fn != nil && h.Methods[i].mentions(fn) {
			n++
		}
	}
	return n
}
