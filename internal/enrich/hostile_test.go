package enrich_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/idemgen/idemgen/internal/enrich"
)

// hostile are texts that a spec may have anywhere.
var hostile = []string{
	"a: b", "- a", "# no comment", "a # b", "'", `"`, "''", "|", ">", "|-\n  a", "%YAML 1.1", "---", "...", "\n---\na: b\n",
	"*a", "&a", "!a", "!!str", "@", "`", "{{", "}}", "[", "]", "{a: b}", "? a", ": a", "null", "~", "yes", "0x1F", "1e3", "2020-01-01",
	" leading", "trailing ", "\ttab", "a\tb", "a\r\nb", "\n\n", "  \n  indented\nnot\n", "\u2028", "\u0085", "\ufeff", "\U0001F600", "\u007f", "\u0000",
	strings.Repeat("long ", 500), strings.Repeat("x", 1500), "a\n\n\n\nb", "  a\nb", "\\", "\\n", "<<", "=", "$ref", "#/a", "a\n#b\n c",
}

// Whatever texts a spec has, what is written has the same ones at the same places.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for i, text := range hostile {
		key := text[:min(len(text), 500)] // YAML's readers have a limit
		pets := map[string]any{"operationId": fmt.Sprint("op", i), "summary": text, "description": text, "x-idempotent": true, "x-" + key: text,
			"responses": map[string]any{
				"201": map[string]any{"description": text, "headers": map[string]any{"X-A": map[string]any{"description": text, "schema": map[string]any{}}}},
				"409": map[string]any{"description": text, "content": map[string]any{"text/plain": map[string]any{"example": text}}},
			}}
		source := map[string]any{
			"openapi": "3.0.3", "info": map[string]any{"title": text, "version": text}, "security": []any{}, "x-" + key: map[string]any{key: []any{text}},
			"paths":      map[string]any{"/pets": map[string]any{"post": pets}},
			"components": map[string]any{"schemas": map[string]any{"A": map[string]any{"enum": []any{text}, "default": text, "properties": map[string]any{key: map[string]any{}}}}},
		}
		asJSON, err := json.Marshal(source)
		if err != nil {
			t.Fatal(err)
		}
		var tree yaml.Node // whose strings are in double quotes, as in JSON
		if err := yaml.Unmarshal(escaped(asJSON), &tree); err != nil {
			t.Fatal(err)
		}
		tree.Content[0].Style = 0
		asYAML, err := yaml.Marshal(&tree)
		if err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string][]byte{"openapi.json": asJSON, "openapi.yaml": asYAML} {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := enrich.Document(load(t, path), ".")
			if err != nil {
				t.Errorf("%q, %s: %v", text, name, err)
				continue
			}
			var got map[string]any
			if err := yaml.Unmarshal(out, &got); err != nil {
				t.Errorf("%q, %s: %v\n%s", text, name, err, out)
				continue
			}
			op := dig(got, "paths", "/pets", "post").(map[string]any)
			for what, is := range map[string]any{
				"summary": op["summary"], "extension": op["x-"+key], "title": dig(got, "info", "title"),
				"description": dig(op, "responses", "201", "description"), "example": dig(op, "responses", "409", "content", "text/plain", "example"),
				"default": dig(got, "components", "schemas", "A", "default"),
			} {
				if is != text {
					t.Errorf("%q, %s: the %s is %q", text, name, what, is)
				}
			}
			if described, _ := op["description"].(string); !strings.Contains(described, strings.TrimSpace(text)) || !strings.Contains(described, "Safe to retry") {
				t.Errorf("%q, %s: the description is %q", text, name, described)
			}
		}
	}
}

// escaped has what isn't ASCII as YAML has it in double quotes.
func escaped(text []byte) []byte {
	var b []byte
	for _, r := range string(text) {
		switch {
		case r < 0x7f:
			b = append(b, byte(r))
		case r < 0x10000:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = fmt.Appendf(b, `\U%08x`, r)
		}
	}
	return b
}

func dig(v any, keys ...string) any {
	for _, key := range keys {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}

// The codes are the runtime's, all of them.
func TestCodesAreTheRuntimes(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "../../runtime/problem.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, "Code") {
			code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, code)
		}
		return true
	})
	content, err := os.ReadFile("testdata/plain/api/openapi.gen.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := yaml.Unmarshal(content, &doc); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, code := range dig(doc, "components", "schemas", "IdempotencyProblem", "properties", "code", "enum").([]any) {
		got = append(got, code.(string))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
