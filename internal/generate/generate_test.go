package generate_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/generate"
	"github.com/idemgen/idemgen/internal/sqlc"
)

func TestMain(m *testing.M) {
	if code, ok := sqlc.RunAsChild(); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

const petstore = "../../examples/petstore/idemgen.yaml"

func run(t testing.TB, config string) map[string][]byte {
	t.Helper()
	made, diags, err := generate.Run(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	if !diags.Empty() {
		var text bytes.Buffer
		_ = diag.PrintText(&text, diags, nil)
		t.Fatal(text.String())
	}
	return made.Files
}

// oapi-codegen keeps its state in package variables. Runs of two documents, at
// once and after each other, must not see each other's.
func TestRunsDontInfluenceEachOther(t *testing.T) {
	other := filepath.Join(t.TempDir(), "idemgen.yaml")
	write(t, other, "version: 1\nspec: openapi.yaml\napi: {dir: http, package: http_api}\n")
	write(t, filepath.Join(filepath.Dir(other), "go.mod"), "module example.com/other\n")
	write(t, filepath.Join(filepath.Dir(other), "openapi.yaml"), `openapi: 3.1.0
info: {title: other, version: "1"}
paths:
  /pets:
    post:
      operationId: createPet
      x-idempotent: {}
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
      responses: {"201": {description: ok}}
components:
  schemas:
    Pet: {type: object, properties: {a: {type: [string, "null"]}}}
`)
	configs := []string{petstore, other}
	want := make([]map[string][]byte, len(configs))
	for i, config := range configs {
		want[i] = run(t, config)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() { same(t, want[i%2], run(t, configs[i%2])) })
	}
	wg.Wait()
}

func same(t *testing.T, want, got map[string][]byte) {
	t.Helper()
	if !slices.Equal(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))) {
		t.Errorf("other files: %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
	for path := range want {
		if !bytes.Equal(want[path], got[path]) {
			t.Errorf("%s differs between two runs", path)
		}
	}
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
