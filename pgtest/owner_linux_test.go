package pgtest_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A cluster lives from the first test binary of a `go test` to the end of that command, however long compiling the next
// takes and however it ends.
func TestClusterBelongsToGoCommand(t *testing.T) {
	t.Parallel()
	cmd := program("go", "TMPDIR="+shortDir(t))
	link := filepath.Join(t.TempDir(), "go") // What the kernel calls a process is the name it was run by.
	if err := os.Symlink(cmd.Path, link); err != nil {
		t.Fatal(err)
	}
	cmd.Path = link
	c := startCommand(t, cmd)
	time.Sleep(200 * time.Millisecond)
	if !running(c.Postgres) {
		t.Error("the cluster ends before the go command")
	}
	c.kill(t)
	c.wantNothingLeft(t)
}
