// Package modtest looks at the runtime as a module that users depend on.
package modtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A service whose go directive is the runtime's own, and whose pgx is the one
// that the runtime asks for, must keep all that it had.
func TestRuntimeLeavesAUserModuleAsItWas(t *testing.T) {
	runtimeDir, err := filepath.Abs("../../runtime")
	if err != nil {
		t.Fatal(err)
	}
	floor := requirements(t, runtimeDir)
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.com/user\n\ngo "+floor.goVersion+"\n\nrequire (\n"+
		"\tgithub.com/jackc/pgx/v5 "+floor.pgx+"\n"+
		"\tgithub.com/google/uuid v1.6.0\n"+
		")\n")
	write(t, dir, "main.go", `package main

import (
	_ "github.com/google/uuid"
	_ "github.com/jackc/pgx/v5/pgxpool"
)

func main() {}
`)
	run(t, dir, "go", "mod", "tidy")
	before, goBefore := modules(t, dir), directive(t, dir)

	run(t, dir, "go", "mod", "edit", "-replace=github.com/idemgen/idemgen/runtime="+runtimeDir, "-require=github.com/idemgen/idemgen/runtime@v0.0.0")
	write(t, dir, "idem.go", "package main\n\nimport _ \"github.com/idemgen/idemgen/runtime\"\n")
	run(t, dir, "go", "mod", "tidy")
	run(t, dir, "go", "build", "./...")

	if got := directive(t, dir); got != goBefore {
		t.Errorf("the go directive went from %s to %s", goBefore, got)
	}
	after := modules(t, dir)
	for path, version := range before {
		if after[path] != version {
			t.Errorf("%s went from %s to %s", path, version, after[path])
		}
		delete(after, path)
	}
	delete(after, "github.com/idemgen/idemgen/runtime")
	if len(after) > 0 {
		t.Errorf("the runtime has brought %v", after)
	}
}

// The import closure of the runtime is pgx, what pgx imports, and the standard
// library.
func TestRuntimeImportsPgxOnly(t *testing.T) {
	const format = `{{if not .Standard}}{{.ImportPath}}{{end}}`
	closure := strings.Fields(run(t, "../../runtime", "go", "list", "-deps", "-f", format, "./..."))
	pgx := strings.Fields(run(t, "../../runtime", "go", "list", "-deps", "-f", format, "github.com/jackc/pgx/v5/pgxpool"))
	for _, path := range closure {
		if !slices.Contains(pgx, path) && !strings.HasPrefix(path, "github.com/idemgen/idemgen/runtime") {
			t.Errorf("the runtime imports %s", path)
		}
	}
}

type floor struct{ goVersion, pgx string }

func requirements(t *testing.T, dir string) floor {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	pgx := regexp.MustCompile(`github.com/jackc/pgx/v5 (\S+)`).FindSubmatch(content)
	if pgx == nil {
		t.Fatal("the runtime doesn't require pgx")
	}
	return floor{directive(t, dir), string(pgx[1])}
}

func directive(t *testing.T, dir string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^go (\S+)$`).FindSubmatch(content)
	if m == nil {
		t.Fatal("go.mod has no go directive")
	}
	return string(m[1])
}

// modules is the build list.
func modules(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := map[string]string{}
	for line := range strings.Lines(run(t, dir, "go", "list", "-m", "-f", "{{.Path}} {{.Version}}", "all")) {
		path, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		list[path] = version
	}
	return list
}

func run(t *testing.T, dir string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, stderr(err))
	}
	return string(out)
}

func stderr(err error) []byte {
	if exit, ok := err.(*exec.ExitError); ok { //nolint:errorlint // straight from exec
		return exit.Stderr
	}
	return nil
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
