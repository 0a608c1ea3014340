package adopt_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/adopt"
)

const (
	goMod = "module example.com/shop\n\ngo 1.26.0\n"
	doc   = "openapi: 3.0.3\ninfo: {title: shop, version: \"1\"}\npaths: {}\n"
)

// A file that comes into being after New isn't overwritten, and those written
// before it are gone again.
func TestApplyWritesAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "go.mod", goMod)
	write(t, dir, "openapi.yaml", doc)
	plan, diags, err := adopt.New(t.Context(), adopt.Options{Dir: dir})
	if err != nil || !diags.Empty() {
		t.Fatal(err, diags.All())
	}
	write(t, dir, "generate.go", "package mine\n")
	if written, err := plan.Apply(); err == nil || !strings.Contains(err.Error(), "generate.go") {
		t.Errorf("%v, %v", written, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "generate.go go.mod openapi.yaml" {
		t.Errorf("there are %s", got)
	}
	for name, want := range map[string]string{"generate.go": "package mine\n", "go.mod": goMod} {
		if content, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(content) != want {
			t.Errorf("%s: %v, %q", name, err, content)
		}
	}
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
