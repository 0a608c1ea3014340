package generate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/generate"
)

// evil are texts that try to end whatever they stand in, and to call pwned.
var evil = []string{
	`*/ pwned() /*`, "x\npwned()\n", "x\r\nfunc init() { pwned() }", "x\u2028pwned()", "x\u0085pwned()", "`+pwned()+`", `"+pwned()+"`, `\"+pwned()+\"`,
	`'+pwned()+'`, `\`, `a\`, `a\d`, "\x00pwned()", "\x1b[31mpwned()", "{{pwned}}", "{{.}}", "{{template \"x\"}}", "${pwned}", "%s%d%!",
	"--\npwned", "';DROP TABLE x; SELECT pwned()--", "$$;pwned()", "../../pwned", "/etc/pwned", `..\..\pwned`, "pwned.go", "C:pwned",
	"//go:linkname pwned x", "\n//go:linkname pwned x", "\n//line pwned.go:1", "/*line pwned.go:1*/", "// +build pwned", "\n//export pwned",
	"pwned(); func init() {}", "int; func init() { pwned() }", "int /*", "struct{ a int `", "}\nfunc init() { pwned() }\ntype x struct{", "a b", "a`b", `a"b`, "a\nb", "a;b",
	"\u202epwned", "\ufeffpwned", "Ünïcode", "", " ", "_", ".", "..", "123", "func", "nil", "init", "main", "string", "error", "err", "w", "r", "body", "ctx", "request", "handler", "siw",
	"context", "http", "json", "runtime", "idem", "adapter", "capture", "contracts", "Handlers", "ServerInterface", "strings.Repeat", strings.Repeat("x", 300),
}

type object = map[string]any

// document has a text at one of the places that a document has for texts.
func document(place int, text string) (name string, doc object) {
	param := object{"name": "q", "in": "query", "schema": object{"type": "string"}}
	header := object{"name": "X-H", "in": "header", "schema": object{"type": "string"}}
	id := object{"name": "id", "in": "path", "required": true, "schema": object{"type": "string"}}
	kind := object{"type": "string", "enum": []any{"cat", "dog"}}
	property := object{"type": "string"}
	pet := object{"type": "object", "properties": object{"name": property, "kind": kind}}
	media := object{"schema": object{"$ref": "#/components/schemas/Pet"}}
	content := object{"application/json": media}
	response := object{"description": "made", "headers": object{"X-R": object{"schema": object{"type": "string"}}}, "content": object{"application/json": media}}
	marked := object{}
	op := object{
		"operationId": "createPet", "x-idempotent": marked, "parameters": []any{id, param, header},
		"requestBody": object{"content": content}, "responses": object{"201": response},
	}
	paths := object{"/pets/{id}": object{"post": op}}
	schemas := object{"Pet": pet}
	doc = object{"openapi": "3.0.3", "info": object{"title": "t", "version": "1"}, "paths": paths, "components": object{"schemas": schemas}}
	union := func(property, value string) {
		schemas["Dog"], pet["additionalProperties"] = object{"type": "object", "properties": object{property: object{"type": "string"}}}, true
		media["schema"] = object{"oneOf": []any{object{"$ref": "#/components/schemas/Dog"}},
			"discriminator": object{"propertyName": property, "mapping": object{value: "#/components/schemas/Dog"}}}
	}
	places := []struct {
		name string
		put  func()
	}{
		{"title", func() { doc["info"] = object{"title": text, "version": text, "description": text} }},
		{"operationId", func() { op["operationId"] = text }},
		{"summary", func() { op["summary"], op["description"] = text, text }},
		{"tag", func() { op["tags"] = []any{text}; doc["tags"] = []any{object{"name": text, "description": text}} }},
		{"deprecated", func() { op["deprecated"], op["x-deprecated-reason"] = true, text }},
		{"path", func() { paths["/"+text+"/{id}"] = object{"post": op}; delete(paths, "/pets/{id}") }},
		{"path parameter", func() { id["name"] = text; paths["/pets/{"+text+"}"] = object{"post": op}; delete(paths, "/pets/{id}") }},
		{"query parameter", func() { param["name"] = text }},
		{"header parameter", func() { header["name"] = text }},
		{"cookie parameter", func() { param["name"], param["in"] = text, "cookie" }},
		{"parameter texts", func() { param["description"], param["example"] = text, text }},
		{"default", func() { property["default"], property["example"], property["format"] = text, text, text }},
		{"pattern", func() { property["pattern"] = text }},
		{"description", func() { pet["description"], pet["title"], property["description"] = text, text, text }},
		{"property", func() {
			pet["properties"] = object{text: object{"type": "string"}}
			pet["additionalProperties"] = object{"type": "string"}
		}},
		{"property of an object", func() {
			pet["properties"] = object{text: object{"type": "object", "properties": object{text: object{"type": "string"}}}}
		}},
		{"enum", func() { kind["enum"] = []any{"a", text} }},
		{"enum name", func() { kind["x-enum-varnames"] = []any{text, "B"} }},
		{"schema", func() { schemas[text] = pet; media["schema"] = object{"$ref": "#/components/schemas/" + pointer(text)} }},
		{"media type", func() { content[text] = object{"schema": pet} }},
		{"response media type", func() { response["content"] = object{text: object{"schema": pet}} }},
		{"response header", func() { response["headers"] = object{text: object{"schema": object{"type": "string"}}} }},
		{"response", func() { op["responses"] = object{"201": response, text: object{"description": text}} }},
		{"security", func() {
			doc["components"].(object)["securitySchemes"] = object{text: object{"type": "apiKey", "in": "header", "name": text}}
			op["security"] = []any{object{text: []any{text}}}
		}},
		{"server", func() { doc["servers"] = []any{object{"url": text, "description": text}} }},
		{"discriminator", func() { union(text, "dog") }},
		{"discriminator value", func() { union("kind", text) }},
		{"x-go-name", func() { pet["x-go-name"], property["x-go-name"], param["x-go-name"] = text, text, text }},
		{"x-go-type", func() { property["x-go-type"] = text }},
		{"x-go-type-name", func() { pet["x-go-type-name"] = text }},
		{"x-go-type-import", func() { property["x-go-type"], property["x-go-type-import"] = "a.B", object{"path": text, "name": "a"} }},
		{"x-go-type-import name", func() {
			property["x-go-type"], property["x-go-type-import"] = "a.B", object{"path": "example.com/a", "name": text}
		}},
		{"extra tags", func() { property["x-oapi-codegen-extra-tags"] = object{"validate": text} }},
		{"extra tag", func() { property["x-oapi-codegen-extra-tags"] = object{text: "required"} }},
		{"extension", func() { op["x-"+text], doc["x-"+text] = text, object{text: text} }},
		{"name", func() { marked["name"] = text }},
		{"key header", func() { marked["key"] = object{"header": text} }},
		{"key pattern", func() { marked["key"] = object{"pattern": text} }},
		{"key pointer", func() { marked["key"] = object{"pointer": "/" + text} }},
		{"declared key", func() {
			header["name"], header["schema"] = "Idempotency-Key", object{"type": "string", "pattern": text}
		}},
		{"scope", func() { marked["scope"] = []any{"principal", "header:" + text} }},
		{"fingerprint", func() { marked["fingerprint"] = object{"headers": []any{text}} }},
		{"query", func() { marked["query"] = text }},
		{"callback", func() {
			op["callbacks"] = object{text: object{text: object{"post": object{"responses": object{"200": object{"description": text}}}}}}
		}},
		{"example", func() { media["examples"] = object{text: object{"value": text, "summary": text}} }},
	}
	if place >= len(places) {
		return "", nil
	}
	places[place].put()
	return places[place].name, doc
}

func pointer(s string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "%", "%25").Replace(s)
}

// store is a record store: no document changes it.
var store = sync.OnceValues(func() (map[string][]byte, error) {
	made, _, err := generate.Run(context.Background(), petstore)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, content := range made.Files {
		if strings.HasPrefix(name, "internal/idemdb/") {
			files[name] = content
		}
	}
	return files, nil
})

// check generates from a document, and looks at all that comes out.
func check(t testing.TB, dir string, text []byte) *generate.Generated {
	t.Helper()
	records, err := store()
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "openapi.yaml"), string(text))
	start := time.Now()
	made, diags, err := generate.RunDocument(filepath.Join(dir, "idemgen.yaml"), records)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %s", took)
	}
	if err != nil {
		t.Fatal(err)
	}
	checkDiagnostics(t, diags)
	if made == nil {
		if diags.Empty() {
			t.Error("nothing was generated, and nobody says why")
		}
		return nil
	}
	for name, content := range made.Files {
		if folder := filepath.ToSlash(filepath.Dir(name)); !filepath.IsLocal(name) || !slices.Contains([]string{"api", "internal/idemdb", "db/queries"}, folder) {
			t.Errorf("a file at %q", name)
		}
		if filepath.Ext(name) == ".go" && records[name] == nil {
			checkGo(t, name, content, text)
		}
	}
	return made
}

func checkDiagnostics(t testing.TB, diags *diag.Set) {
	t.Helper()
	var out bytes.Buffer
	if err := diag.PrintText(&out, diags, nil); err != nil {
		t.Error(err)
	}
	if !utf8.Valid(out.Bytes()) || bytes.ContainsFunc(out.Bytes(), func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f || r == '\u202e' }) {
		t.Errorf("a message has what a terminal obeys: %q", out.Bytes())
	}
	if err := diag.PrintGitHub(io.Discard, diags, func(name string) string { return name }); err != nil {
		t.Error(err)
	}
}

// imported are the packages that generated code may import by itself.
var imported = []string{
	"bytes", "context", "encoding", "encoding/json", "encoding/xml", "errors", "fmt", "io", "mime", "mime/multipart", "net/http", "net/url", "os", "path", "regexp", "strings", "time",
	"example.com/shop/internal/idemdb", "github.com/idemgen/idemgen/runtime", "github.com/jackc/pgx/v5", "github.com/google/uuid",
	"github.com/oapi-codegen/nullable", "github.com/oapi-codegen/runtime", "github.com/oapi-codegen/runtime/types", "github.com/oapi-codegen/runtime/strictmiddleware/nethttp",
}

// checkGo finds what is no part of what we generate: calls, imports, functions
// that run by themselves, and comments that the compiler obeys.
func checkGo(t testing.TB, name string, code, document []byte) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, code, parser.ParseComments)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, code)
	}
	if formatted, err := format.Source(code); err != nil || !bytes.Equal(formatted, code) {
		t.Errorf("%s is not formatted: %v", name, err)
	}
	for _, spec := range f.Imports {
		if importPath, _ := strconv.Unquote(spec.Path.Value); !slices.Contains(imported, importPath) && (!bytes.Contains(document, []byte("x-go-type-import")) || !bytes.Contains(document, []byte(importPath))) {
			t.Errorf("%s imports %q", name, importPath)
		}
		if spec.Name != nil && (spec.Name.Name == "_" || spec.Name.Name == ".") {
			t.Errorf("%s imports %s as %s", name, spec.Path.Value, spec.Name.Name)
		}
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if strings.ContainsFunc(c.Text, func(r rune) bool { return r != '\t' && r != '\n' && !unicode.IsGraphic(r) }) {
				t.Errorf("%s has what can't be seen in a comment: %q", name, c.Text)
			}
			for _, directive := range []string{"//go:", "//line ", "/*line ", "//export ", "//extern ", "// +build "} {
				if strings.HasPrefix(c.Text, directive) && c.Text != "//go:build go1.22" && (directive != "// +build " || c.Pos() < f.Package) {
					t.Errorf("%s has a directive: %q", name, c.Text)
				}
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil && (n.Name.Name == "init" || n.Name.Name == "main" || n.Body == nil) {
				t.Errorf("%s has a func %s", name, n.Name.Name)
			}
		case *ast.CallExpr:
			if ident, ok := n.Fun.(*ast.Ident); ok && ident.Name == "pwned" {
				t.Errorf("%s calls pwned", name)
			}
		}
		return true
	})
	for _, decl := range f.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.VAR {
			checkVariables(t, name, gen)
		}
	}
}

// checkVariables finds calls in variables of the package, which run by themselves.
func checkVariables(t testing.TB, name string, gen *ast.GenDecl) {
	t.Helper()
	ast.Inspect(gen, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if sel, ok := call.Fun.(*ast.SelectorExpr); !ok || fmt.Sprint(sel.X) != "regexp" || sel.Sel.Name != "MustCompile" {
			t.Errorf("%s has a variable that calls a function", name)
		}
		return false
	})
}

func newService(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/shop\n")
	write(t, filepath.Join(dir, "idemgen.yaml"), "version: 1\nspec: openapi.yaml\n")
	return dir
}

// stride keeps the test short. With 1 it has every text at every place, for which
// it takes minutes.
const stride = 13

// Whatever text stands at whatever place, it stays text, or the document is refused.
func TestHostileTexts(t *testing.T) {
	dir := newService(t)
	for place := 0; ; place++ {
		name, doc := document(place, "x")
		if doc == nil {
			break
		}
		t.Run(name, func(t *testing.T) {
			made := 0
			for i := place % stride; i < len(evil); i += stride {
				text := evil[i]
				_, doc := document(place, text)
				asJSON, err := json.Marshal(doc)
				if err != nil {
					t.Fatal(err)
				}
				if check(t, dir, asJSON) != nil {
					made++
				}
				if t.Failed() {
					t.Fatalf("with %q", text)
				}
			}
			t.Logf("%d are accepted", made)
		})
	}
}

// FuzzDocument starts with the hostile texts.
func FuzzDocument(f *testing.F) {
	for place := 0; ; place++ {
		_, doc := document(place, "")
		if doc == nil {
			break
		}
		for i := place % stride; i < len(evil); i += 3 * stride {
			_, doc := document(place, evil[i])
			asJSON, err := json.Marshal(doc)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(asJSON)
		}
	}
	text, err := os.ReadFile(filepath.Join(filepath.Dir(petstore), "openapi.yaml"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		check(t, newService(t), text)
	})
}
