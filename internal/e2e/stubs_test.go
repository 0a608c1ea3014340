package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/cli"
)

// A service whose only fault is that methods are missing compiles after stubs.
func TestStubsCompile(t *testing.T) {
	runtimeDir, err := filepath.Abs("../../runtime")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod": "module example.com/shop\n\ngo 1.26.0\n\nrequire github.com/idemgen/idemgen/runtime v0.0.0\n\n" +
			"replace github.com/idemgen/idemgen/runtime => " + runtimeDir + "\n",
		"idemgen.yaml": "version: 1\nspec: openapi.yaml\n",
		"openapi.yaml": `openapi: 3.0.3
info: {title: shop, version: "1"}
paths:
  /pets/{petId}:
    get: {operationId: getPet, parameters: [&id {name: petId, in: path, required: true, schema: {type: string, format: uuid}}], responses: {"200": {description: ok}}}
    put: {operationId: replace-pet, x-idempotent: {}, parameters: [*id], responses: {"200": {description: ok}}}
`,
		// Names that the new file needs are taken, also by the receiver.
		"internal/shop/shop.go": `package shop

import "example.com/shop/api"

type Shop[T any] struct{}

func (idem Shop[T]) Close() {}

func http() {}

var context api.Handlers = Shop[int]{}
`,
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config := filepath.Join(dir, "idemgen.yaml")
	run(t, "generate", "-c", config)
	if out, err := goCommand(t, dir, "mod", "tidy"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := goCommand(t, dir, "build", "./..."); err == nil || !strings.Contains(out, "missing method GetPet") {
		t.Fatalf("before stubs it isn't the methods that are missing: %v\n%s", err, out)
	}
	run(t, "stubs", "-c", config, "--type", "Shop")
	if out, err := goCommand(t, dir, "vet", "./..."); err != nil {
		stubs, _ := os.ReadFile(filepath.Join(dir, "internal/shop/stubs.go"))
		t.Errorf("%v\n%s\n%s", err, out, stubs)
	}
}

func run(t *testing.T, args ...string) {
	t.Helper()
	var out bytes.Buffer
	if code := cli.Run(args, nil, &out, &out); code != 0 {
		t.Fatalf("idemgen %v: exit code %d\n%s", args, code, out.String())
	}
}

func goCommand(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
