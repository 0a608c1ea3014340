package enrich_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/enrich"
	"github.com/idemgen/idemgen/internal/spec"
)

var update = flag.Bool("update", false, "rewrite the documents in testdata")

// Each folder of testdata has a spec, and what becomes of it in its folder api. The
// conformance tests lint them too.
func TestDocument(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob("testdata/*/openapi.*")
	if err != nil || len(folders) == 0 {
		t.Fatal(folders, err)
	}
	for _, source := range folders {
		t.Run(filepath.Base(filepath.Dir(source)), func(t *testing.T) {
			t.Parallel()
			doc := load(t, source)
			got, err := enrich.Document(doc, "..")
			if err != nil {
				t.Fatal(err)
			}
			again, err := enrich.Document(doc, "..")
			if err != nil || !bytes.Equal(got, again) {
				t.Errorf("another run gives other bytes: %v", err)
			}
			target := filepath.Join(filepath.Dir(source), "api", "openapi.gen.yaml")
			if *update {
				if err := errors.Join(os.MkdirAll(filepath.Dir(target), 0o755), os.WriteFile(target, got, 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(target)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s isn't what is made of it now (go test -update rewrites it): %v\n%s", target, err, got)
			}
			if enriched := load(t, target); len(enriched.Operations) != len(doc.Operations) {
				t.Errorf("%d operations, want %d", len(enriched.Operations), len(doc.Operations))
			}
		})
	}
}

// load reads a document that has nothing wrong, $refs and all.
func load(t *testing.T, path string) *spec.Document {
	t.Helper()
	doc, diags := spec.Load(path, path)
	if !diags.Empty() {
		var text bytes.Buffer
		_ = diag.PrintText(&text, diags, doc.Source)
		t.Fatal(text.String())
	}
	return doc
}

// References keep their escapes, and what only looks like one stays as it is.
func TestReferences(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"openapi.yaml": `openapi: 3.0.3
info: {title: t, version: "1"}
paths:
  /a: {$ref: 'a%20b/c%23.yaml#/x~1y%20z'}
components:
  examples:
    A: {value: {$ref: not/a/reference.yaml}}
`,
		"a b/c#.yaml": `x/y z:
  post:
    operationId: a
    x-idempotent: {}
    parameters: [{$ref: 'd%3F.yaml'}]
    responses:
      "201": {description: ok, content: {application/json: {schema: {$ref: '#/s%25'}, example: {$ref: '#/s'}}}}
s%: {type: string}
`,
		"a b/d?.yaml": "{name: a, in: query, schema: {type: string}}\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	doc := load(t, filepath.Join(dir, "openapi.yaml"))
	got, err := enrich.Document(doc, "../a b")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"$ref: '../a%20b/a%20b/d%3F.yaml'", "$ref: '../a%20b/a%20b/c%23.yaml#/s%25'", "$ref: '#/s'", "$ref: not/a/reference.yaml",
	} {
		if !bytes.Contains(got, []byte(want)) {
			t.Errorf("%s isn't in\n%s", want, got)
		}
	}
}
