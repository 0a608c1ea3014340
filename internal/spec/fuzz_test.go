package spec

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/idemgen/idemgen/internal/diag"
)

func FuzzLoad(f *testing.F) {
	for _, s := range []string{
		post("{}"), post("{ttl: 1:30, key: {header: Cookie}}"),
		`{"openapi":"3.1.0","info":{"title":"\ud83d\ude00","version":"1"},"paths":{"/a":{"post":{"operationId":"a","x-idempotent":true,"responses":{"200":{"description":"d"}}}}}}`,
		head + "paths: {/a: {$ref: '#/paths/~1a'}, /b: {$ref: 'doc#'}}\n",
		head + "x-a: &a [x, *a]\npaths: {<<: *a}\n",
		head + "x-a: &a {b: 1}\nx-b: &b [*a, *a]\nx-c: [*b, *b]\npaths: {/a: {<<: [*a]}}\n",
		head + "components: {schemas: {A: {$ref: '#/components/schemas/A/items/additionalProperties'}, B: {additionalProperties: {$ref: '#/components/schemas/B'}}}}\npaths: {}\n",
		post("{key: {natural: [/a/b, /~1]}, fingerprint: {exclude: [/a]}, scope: [principal, 'path:x'], store: [2XX, 409]}") + "      requestBody: {content: {application/json: {schema: {allOf: [{$ref: '#/x'}], oneOf: [{properties: {a: {type: object, properties: {b: {enum: [1, x]}}}}}, {nullable: true}]}}}}\nx: {anyOf: [{$ref: '#/x'}, {type: [string]}]}\n",
		"? [a]\n: !!binary |\n  aGk=\n&a ~: !x y\n\"a\u2028b\": .inf\n",
		"\xef\xbb\xbfopenapi: 3.0.3\r\ninfo:\r\n\tx: 1\r\n", "openapi: 3.0.3\n---\n...\n---\na\n",
	} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, isJSON bool) {
		name := "doc"
		if isJSON {
			name = "doc.json"
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		d, diags := Load(path, name)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("took %v", took)
		}
		for _, x := range diags.All() {
			if x.Message == "" || x.Rule == "" || x.Pos.File == "" || !utf8.ValidString(diag.Escape(x.Message)) || x.Len < 0 {
				t.Errorf("bad diagnostic %+v", x)
			}
		}
		if err := diag.PrintText(io.Discard, diags, d.Source); err != nil {
			t.Error(err)
		}
		if diags.Empty() {
			if _, err := d.OpenAPI(); err != nil {
				t.Errorf("accepted, but %v", err)
			}
		}
	})
}
