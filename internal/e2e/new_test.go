package e2e

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/cli"
	"github.com/idemgen/idemgen/pgtest"
)

// A new service builds, vets and passes its own tests with no hand edit, and what
// is generated in it is what generate makes.
func TestNewServices(t *testing.T) {
	for name, spec := range map[string]string{
		"starter":  "",
		"hostile":  "testdata/new/hostile.yaml",
		"museum":   "testdata/new/museum.yaml",
		"payments": "testdata/new/payments.yaml",
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "service")
			args := []string{"new", dir, "--module", "example.com/acme/" + name + "/v2"}
			if spec != "" {
				args = append(args, "--spec", spec)
			}
			said := idemgen(t, args...)
			golden(t, "testdata/new/"+name+".golden", strings.ReplaceAll(said, dir, "DIR")+"\n"+strings.Join(fileList(t, dir), "\n")+"\n")

			inService(t, dir, "go", "build", "./...")
			inService(t, dir, "go", "vet", "./...")
			inService(t, dir, "go", "test", "-timeout", "5m", "./...")
			if unformatted := inService(t, dir, "gofmt", "-l", "."); unformatted != "" {
				t.Errorf("not formatted: %s", unformatted)
			}
			if said := idemgen(t, "generate", "-c", filepath.Join(dir, "idemgen.yaml"), "--check"); !strings.Contains(said, "up to date") {
				t.Errorf("not up to date: %s", said)
			}
			if spec == "" {
				t.Run("life", func(t *testing.T) { live(t, dir) })
			}
		})
	}
}

// live runs the starter: it migrates, serves, replays, cleans up and ends when
// asked to.
func live(t *testing.T, dir string) {
	inService(t, dir, "go", "build", "-o", "bin/", "./...")
	program := filepath.Join(dir, "bin", "starter")
	url := pgtest.Database(t)
	env := append(os.Environ(), "DATABASE_URL="+url, "ADDR=127.0.0.1:0", "API_KEYS=acme:s3cret")
	for _, command := range []string{"migrate", "migrate", "cleanup"} {
		cmd := exec.CommandContext(t.Context(), program, command)
		cmd.Env = env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	for wrong, env := range map[string][]string{
		"DATABASE_URL isn't set": {"DATABASE_URL="},
		"API_KEYS":               {"DATABASE_URL=" + url, "API_KEYS=s3cret"},
	} {
		cmd := exec.CommandContext(t.Context(), program)
		cmd.Env = append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), wrong) || strings.Contains(string(out), "s3cret") {
			t.Errorf("with %s: %v\n%s", wrong, err, out)
		}
	}

	serve := exec.CommandContext(t.Context(), program)
	serve.Env = env
	stderr, err := serve.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = serve.Process.Kill() }) // it has ended, if all is well
	lines := bufio.NewReader(stderr)
	line, _ := lines.ReadString('\n') // empty if it ends early
	m := regexp.MustCompile(`url=(http://\S+)`).FindStringSubmatch(line)
	if m == nil {
		rest, _ := io.ReadAll(lines)
		t.Fatalf("it doesn't say where it listens: %s%s", line, rest)
	}
	first, replayed := post(t, m[1])
	if replayed {
		t.Error("the first answer is a replay")
	}
	if second, replayed := post(t, m[1]); !replayed || second != first {
		t.Errorf("the second answer is %q (replayed: %t), want %q", second, replayed, first)
	}

	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(lines)
	if err := serve.Wait(); err != nil || len(rest) > 0 {
		t.Errorf("it ended with %v\n%s", err, rest)
	}
}

func post(t *testing.T, url string) (body string, replayed bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/payments", strings.NewReader(`{"amount_cents": 500, "currency": "EUR"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{"Content-Type": {"application/json"}, "X-Api-Key": {"s3cret"}, "Idempotency-Key": {"k1"}}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusCreated {
		t.Fatalf("%d %s %v", response.StatusCode, content, err)
	}
	return string(content), response.Header.Get("Idempotency-Replayed") == "true"
}

// go generate runs the tool that tools.mod pins, which is complete without a
// network once the modules are there, and leaves everything as it is.
func TestNewServicesGenerateOffline(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "service")
	idemgen(t, "new", dir, "--module", "example.com/acme/offline")
	t.Setenv("GOPROXY", "off")
	if said := inService(t, dir, "go", "generate", "./..."); !strings.Contains(said, "0 written") {
		t.Errorf("generated anew: %s", said)
	}
}

// idemgen runs the command line and returns what it says.
func idemgen(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := cli.Run(args, strings.NewReader(""), &out, &errs); code != 0 || errs.Len() > 0 {
		t.Fatalf("idemgen %v: exit code %d\n%s%s", args, code, &out, &errs)
	}
	return out.String()
}

func inService(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func fileList(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			rel, relErr := filepath.Rel(dir, path)
			list = append(list, filepath.ToSlash(rel))
			return relErr
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s", path, got)
	}
}
