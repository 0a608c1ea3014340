//go:build unix

package tutorials

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/pgtest"
)

// Every command of every tutorial works, and prints what the tutorial says.
func TestTutorials(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	// Built once: the tutorials' own go install finds it up to date.
	bin := t.TempDir()
	install := exec.CommandContext(t.Context(), "go", "install", "./cmd/idemgen")
	install.Dir, install.Env = root, environment("GOBIN="+bin)
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(root, "docs/tutorials/*.md"))
	if err != nil || len(files) == 0 {
		t.Fatal("no tutorials", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".md"), func(t *testing.T) {
			t.Parallel()
			markdown, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sh := startShell(t, root, "DATABASE_URL="+pgtest.Database(t), "ADDR="+freeAddress(t),
				"GOBIN="+bin, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			if err := follow(string(markdown), sh); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		})
	}
}

// environment is this process's, less what would change what the tools print.
func environment(more ...string) []string {
	return append(os.Environ(), append([]string{"GOWORK=off", "GOTOOLCHAIN=local", "GITHUB_ACTIONS=", "LC_ALL=C"}, more...)...)
}

func startShell(t *testing.T, dir string, env ...string) *shell {
	t.Helper()
	sh, err := start(dir, t.TempDir(), environment(append(env, "TMPDIR="+t.TempDir())...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sh.stop)
	return sh
}

// freeAddress is where nothing listens, as far as one can know.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }() // nothing was accepted
	return listener.Addr().String()
}

func TestFollow(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, markdown string
		wrong          string // part of the error, empty for none
	}{
		{"all that there is", "```sh\nmkdir 'a folder' && cd a*\nx=1 # lasts\n```\nWrite `a/b.txt`:\n\n```text\none\ntwo\n\nthree\n```\n" +
			"Then, in `a/b.txt`:\n```diff\n-one\n+1\n two\n@@\n\n-three\n+3\n```\n```sh\ncat a/b.txt; echo id $RANDOM x=$x\nprintf end\n```\nIt says\n" +
			"```text\n1\n...\n3\nid ... x=1\nend\n```\n```sh exit=3\nfalse; (exit 3)\n```\n```sh\nsleep 100 &\ncat\n```\n", ""},
		{"another output", "```sh\necho yes\n```\n```text\nno\n```\n", "line 4: printed:\nyes\n"},
		{"more output", "```sh\necho yes; echo no\n```\n```text\nyes\n```\n", "line 4: printed:\nyes\nno\n"},
		{"a command fails", "```sh\necho yes\nfalse\necho no\n```\n", "line 1: exit code 1 at line 2 of the block, want 0; printed:\nyes\n"},
		{"a command doesn't fail", "```sh exit=1\ntrue\n```\n", "line 1: exit code 0"},
		{"no such option", "```sh fails\ntrue\n```\n", `"fails" is no option`},
		{"nothing was run", "```text\nyes\n```\n", "no command, no file and no output"},
		{"compared already", "```sh\necho yes\n```\n```text\nyes\n```\n```text\nyes\n```\n", "line 7: the block is no command"},
		{"no end", "text\n```sh\ntrue\n", "line 2: the block has no end"},
		{"indented", "- item\n  ```sh\n", "line 2: an indented block"},
		{"nothing to edit", "`f`:\n```text\na\n```\n`f`:\n```diff\n-b\n+c\n```\n", "has these lines 0 times"},
		{"edit where", "`f`:\n```text\na\na\n```\n`f`:\n```diff\n-a\n+c\n```\n", "has these lines 2 times"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := follow(test.markdown, startShell(t, t.TempDir()))
			if test.wrong == "" {
				if err != nil {
					t.Error(err)
				}
			} else if err == nil || !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("%v, want %q", err, test.wrong)
			}
		})
	}
}
