package scaffold

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/idemgen/idemgen/internal/gomod"
	"github.com/idemgen/idemgen/templates"
)

var functions = template.FuncMap{
	"quote": strconv.Quote,
	"raw":   raw,
	"yaml":  quoteYAML,
	"join":  strings.Join,
}

// raw is a string literal that is easy to read if the text allows.
func raw(s string) string {
	if strings.ContainsAny(s, "\"\n\\") && !strings.ContainsAny(s, "`\r") && strings.ToValidUTF8(s, "") == s && !strings.ContainsFunc(s, unprintable) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

func unprintable(r rune) bool { return r != '\n' && !strconv.IsPrint(r) }

var plainYAML = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9/_-]*\.(ya?ml|json)$`)

// quoteYAML makes a YAML string of a text without line breaks.
func quoteYAML(s string) string {
	if plainYAML.MatchString(s) {
		return s
	}
	if strings.Contains(s, "'") && !strings.ContainsAny(s, `"\`) && !strings.ContainsFunc(s, unprintable) {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

func execute(name string, data any) ([]byte, error) {
	t, err := template.New(name).Funcs(functions).ParseFS(templates.FS, "new/"+name)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// executeGo renders Go code, adds the imports that it lacks, and formats it.
func executeGo(name string, data any, imports map[string]string) ([]byte, error) {
	code, err := execute(name, data)
	if err == nil {
		code, err = withImports(code, imports)
	}
	if err == nil {
		code, err = format.Source(code)
	}
	if err != nil {
		return nil, fmt.Errorf("idemgen made Go that doesn't parse, which is a bug, from %s: %w", name, err)
	}
	return code, nil
}

// withImports adds an import of each package whose name is selected from. known
// has their paths by name. Code that has imports is left as it is.
func withImports(code []byte, known map[string]string) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", code, parser.SkipObjectResolution)
	if err != nil || len(f.Imports) > 0 {
		return code, err
	}
	used := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && known[x.Name] != "" {
				used[x.Name] = true
			}
		}
		return true
	})
	if len(used) == 0 {
		return code, nil
	}
	var groups [3][]string // the standard library, others, the service's own
	for _, name := range slices.Sorted(maps.Keys(used)) {
		importPath := known[name]
		line := strconv.Quote(importPath)
		if path.Base(importPath) != name && !strings.HasSuffix(importPath, "/"+name+"/v5") {
			line = name + " " + line
		}
		group := 1
		switch first, _, _ := strings.Cut(importPath, "/"); {
		case !strings.Contains(first, "."):
			group = 0
		case strings.HasPrefix(importPath, known["module"]+"/"):
			group = 2
		}
		groups[group] = append(groups[group], line)
	}
	var b strings.Builder
	at := fset.Position(f.Name.End()).Offset
	if len(used) == 1 {
		line := slices.Concat(groups[0], groups[1], groups[2])[0]
		return slices.Concat(code[:at], []byte("\n\nimport "+line+"\n"), code[at:]), nil
	}
	b.WriteString("\n\nimport (\n")
	for _, group := range groups {
		slices.SortFunc(group, func(a, b string) int { return strings.Compare(quotedPart(a), quotedPart(b)) })
		if len(group) > 0 {
			b.WriteString(strings.Join(group, "\n") + "\n\n")
		}
	}
	b.WriteString(")\n")
	return slices.Concat(code[:at], []byte(b.String()), code[at:]), nil
}

// quotedPart is the path of an import, without its name.
func quotedPart(line string) string {
	_, after, _ := strings.Cut(line, `"`)
	return after
}

// goImports are the packages that the code of a service may use, by name.
func goImports(module string) map[string]string {
	return map[string]string{
		"context": "context", "errors": "errors", "fmt": "fmt", "http": "net/http", "httptest": "net/http/httptest",
		"io": "io", "json": "encoding/json", "strconv": "strconv", "strings": "strings", "sync": "sync",
		"testing": "testing", "time": "time", "url": "net/url",

		"idem":          gomod.Runtime,
		"openapi_types": openapiTypes,
		"pgconn":        "github.com/jackc/pgx/v5/pgconn",
		"pgtest":        gomod.PGTest,
		"pgx":           "github.com/jackc/pgx/v5",
		"pgxpool":       "github.com/jackc/pgx/v5/pgxpool",
		"uuid":          "github.com/google/uuid",

		"module":     module, // tells the service's own packages
		"api":        module + "/api",
		"app":        module + "/internal/app",
		"auth":       module + "/internal/auth",
		"db":         module + "/internal/db",
		"migrations": module + "/db/migrations",
	}
}
