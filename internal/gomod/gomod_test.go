package gomod_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/gomod"
)

// service is a module that has its own pgx and is older than the runtime.
func service(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.com/svc // ours\n\ngo 1.24\n")
	write(t, dir, "svc.go", "package svc\n")
	return dir
}

func TestRuntime(t *testing.T) {
	dir := service(t)
	if changed, err := apply(gomod.PlanRuntime(t.Context(), dir, "")); err != nil || !changed {
		t.Fatal(changed, err)
	}
	mod := read(t, dir, "go.mod")
	for _, want := range []string{"module example.com/svc // ours", gomod.Runtime + " v0.0.0", "replace " + gomod.Runtime + " => " + gomod.Checkout() + "/runtime"} {
		if !strings.Contains(mod, want) {
			t.Errorf("%q is missing in\n%s", want, mod)
		}
	}
	write(t, dir, "idem.go", "package svc\n\nimport _ \""+gomod.Runtime+"\"\n")
	goRun(t, dir, "vet", ".")

	if changed, err := apply(gomod.PlanRuntime(t.Context(), dir, "")); err != nil || changed || read(t, dir, "go.mod") != mod {
		t.Errorf("a second time: %t, %v\n%s", changed, err, read(t, dir, "go.mod"))
	}
}

func TestTools(t *testing.T) {
	dir := service(t)
	before := read(t, dir, "go.mod")
	if changed, err := apply(gomod.PlanTools(t.Context(), dir, "")); err != nil || !changed {
		t.Fatal(changed, err)
	}
	if read(t, dir, "go.mod") != before {
		t.Errorf("go.mod was touched:\n%s", read(t, dir, "go.mod"))
	}
	tools := read(t, dir, "tools.mod")
	if !strings.HasPrefix(tools, "module example.com/svc\n") || !strings.Contains(tools, "tool "+gomod.Root+"/cmd/idemgen\n") {
		t.Error(tools)
	}
	if out := goRun(t, dir, "tool", "-modfile=tools.mod", "idemgen", "version"); !strings.HasPrefix(out, "idemgen ") {
		t.Error(out)
	}
	if changed, err := apply(gomod.PlanTools(t.Context(), dir, "")); err != nil || changed || read(t, dir, "tools.mod") != tools {
		t.Errorf("a second time: %t, %v\n%s", changed, err, read(t, dir, "tools.mod"))
	}
}

// A relative folder stays one, also from another working directory.
func TestReplaceIsAsTheUserWroteIt(t *testing.T) {
	dir := service(t)
	t.Chdir(filepath.Join(gomod.Checkout(), "docs"))
	for replace, want := range map[string]string{"..": "", gomod.Checkout(): gomod.Checkout()} {
		if _, err := apply(gomod.PlanRuntime(t.Context(), dir, replace)); err != nil {
			t.Fatal(err)
		}
		if want == "" {
			rel, err := filepath.Rel(dir, gomod.Checkout())
			if err != nil {
				t.Fatal(err)
			}
			want = filepath.ToSlash(rel)
		}
		if mod := read(t, dir, "go.mod"); !strings.Contains(mod, "=> "+want+"/runtime\n") {
			t.Errorf("--replace %s: no %q in\n%s", replace, want, mod)
		}
	}
}

func TestNothingIsWrittenOnFailure(t *testing.T) {
	for name, c := range map[string]struct{ mod, replace, want string }{
		"no module":     {"", "", "there is no go.mod"},
		"not a module":  {"module example.com/svc\n\nrequire nothing\n", "", "usage: require"},
		"no checkout":   {"module example.com/svc\n\ngo 1.26\n", ".", "no checkout of idemgen is there"},
		"go is unhappy": {"module example.com/svc\n\ngo 1.26\n\nrequire example.invalid/x v1.0.0\n", "", "the go command says"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if c.mod != "" {
				write(t, dir, "go.mod", c.mod)
			}
			t.Setenv("GOPROXY", "off")
			for _, f := range []func() (bool, error){
				func() (bool, error) { return apply(gomod.PlanRuntime(t.Context(), dir, c.replace)) },
				func() (bool, error) { return apply(gomod.PlanTools(t.Context(), dir, c.replace)) },
			} {
				changed, err := f()
				if name == "go is unhappy" && err == nil {
					continue // tools.mod doesn't have that requirement
				}
				if err == nil || changed || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%t, %v", changed, err)
				}
			}
			if c.mod != "" && read(t, dir, "go.mod") != c.mod {
				t.Errorf("go.mod changed:\n%s", read(t, dir, "go.mod"))
			}
		})
	}
}

func apply(c *gomod.Change, err error) (changed bool, _ error) {
	if err != nil || c == nil {
		return false, err
	}
	return true, c.Apply()
}

func goRun(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
