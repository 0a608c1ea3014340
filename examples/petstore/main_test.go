package main_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
	"github.com/idemgen/idemgen/pgtest"
)

// The program works with nothing set, and ends without an error when asked to.
func TestProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "petstore")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var env []string
	if os.Getenv("DATABASE_URL") != "" { // a server is given, and none to be started
		env = append(env, "DATABASE_URL="+pgtest.Database(t))
	}
	process := shoptest.ExecCommand(t, path, env...)
	client := process.Client()
	client.Unchecked().Do(http.MethodGet, "/healthz", "", nil).Want(t, http.StatusOK)
	client.Do(http.MethodPost, "/pets", "k1", `{"name": "Rex"}`).Want(t, http.StatusCreated)

	if err := process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := process.Wait(time.Minute); err != nil {
		t.Errorf("%v; stderr: %s", err, process.Stderr())
	}
	if logged := process.Stderr(); logged != "" {
		t.Errorf("a quiet life was logged: %s", logged)
	}
}
