//go:build unix

package output_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/idemgen/idemgen/internal/cli"
	"github.com/idemgen/idemgen/internal/lock"
	"github.com/idemgen/idemgen/internal/output"
	"github.com/idemgen/idemgen/internal/sqlc"
)

// trouble, set in the environment, makes this test binary the real idemgen, which
// meets it at the first step that changes the disk, or at the n-th:
// "kill n", "limit bytes", "crash bytes" and "user uid".
const trouble = "IDEMGEN_TEST_TROUBLE"

func TestMain(m *testing.M) {
	if code, ok := sqlc.RunAsChild(); ok {
		os.Exit(code)
	}
	if kind, number, ok := strings.Cut(os.Getenv(trouble), " "); ok {
		meet(kind, number)
		os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func meet(kind, number string) {
	n, err := strconv.Atoi(number)
	if err != nil {
		panic(err)
	}
	steps := 0
	output.BeforeStep(func(string) {
		steps++
		var err error
		switch {
		case kind == "kill" && steps == n:
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		case kind == "kill" || steps > 1:
			return
		case kind == "limit": // a write beyond it fails
			signal.Ignore(syscall.SIGXFSZ)
			err = limitFiles(n)
		case kind == "crash": // a write beyond it is cut, and the process ends
			err = limitFiles(n)
		case kind == "user" && os.Getuid() != n:
			err = errors.Join(syscall.Setgroups(nil), syscall.Setgid(n), syscall.Setuid(n))
		}
		if err != nil {
			panic(err)
		}
	})
}

func limitFiles(n int) error {
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(n), Max: uint64(n)})
}

// idemgen runs it in a process of its own, in trouble.
func idemgen(t *testing.T, dir, trouble_ string, args ...string) (code int, said string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], append(args, "-c", filepath.Join(dir, "idemgen.yaml"))...)
	cmd.Env = append(os.Environ(), trouble+"="+trouble_)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// generate runs it in this process.
func generate(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = cli.Run(append([]string{"generate", "-c", filepath.Join(dir, "idemgen.yaml")}, args...), nil, &out, &errs)
	return code, out.String(), errs.String()
}

func mustGenerate(t *testing.T, dir string) {
	t.Helper()
	if code, _, stderr := generate(t, dir); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
}

// The inputs of a small service, three times: between them code changes, the
// queries move, and a migration comes.
func inputs(revision int) map[string]string {
	const spec = `openapi: 3.0.3
info: {title: shop, version: "1"}
paths:
  /pets:
    post: {operationId: createPet, x-idempotent: {ttl: %dh}, responses: {"201": {description: ok}}}
`
	const operation = `  /toys:
    post: {operationId: createToy%d, x-idempotent: {}, responses: {"201": {description: ok}}}
`
	files := map[string]string{
		"go.mod":       "module example.com/shop\n",
		"openapi.yaml": fmt.Sprintf(spec, 24+revision),
		"idemgen.yaml": "version: 1\nspec: openapi.yaml\n",
	}
	if revision > 0 {
		files["openapi.yaml"] += fmt.Sprintf(operation, revision)
		files["idemgen.yaml"] += "db: {queries: db/sql/records}\ncleanup: {pg_cron: '*/5 * * * *'}\n"
	}
	return files
}

// service is a folder with the inputs of a revision and the files of start.
func service(t *testing.T, revision int, start map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	restore(t, dir, start)
	restore(t, dir, inputs(revision))
	return dir
}

// history is what generate makes of the revisions, one after the other.
func history(t *testing.T) []map[string]string {
	t.Helper()
	var trees []map[string]string
	var start map[string]string
	for revision := range 3 {
		dir := service(t, revision, start)
		mustGenerate(t, dir)
		start = tree(t, dir)
		trees = append(trees, start)
	}
	return trees
}

func wantTree(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := tree(t, dir)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if content, ok := got[name]; !ok {
			t.Errorf("%s is missing", name)
		} else if content != want[name] {
			t.Errorf("%s differs:\n%s", name, content)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is left over", name)
		}
	}
}

// wantCheck runs --check and compares its list with what differs from want.
func wantCheck(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := tree(t, dir)
	states := map[string]string{}
	for name, content := range got {
		if fresh, ok := want[name]; !ok && !strings.HasSuffix(name, ".tmp") {
			states[name] = "stale"
		} else if ok && fresh != content {
			states[name] = "changed"
		}
	}
	for name := range want {
		if _, ok := got[name]; !ok {
			states[name] = "missing"
		}
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(states)) {
		list = append(list, states[name]+" "+filepath.Join(dir, name))
	}
	code, stdout, _ := generate(t, dir, "--check")
	switch {
	case len(list) == 0 && code != 0:
		t.Errorf("all is new, but --check exits with %d: %s", code, stdout)
	case len(list) > 0 && (code != 1 || stdout != strings.Join(list, "\n")+"\n"):
		t.Errorf("--check exits with %d and lists\n%swant\n%s", code, stdout, strings.Join(list, "\n"))
	}
}

// SIGKILL before the steps of a run, from a service that was generated before and
// from one that never was: each file is old or new, --check names what isn't new,
// and the next run completes it, be it of the same spec or of a later one.
func TestKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	trees := history(t)
	fresh := service(t, 1, nil)
	mustGenerate(t, fresh)
	for name, start := range map[string]map[string]string{"again": trees[0], "first": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, stride := trees[1], everyStep
			if start == nil { // more files, and nothing that isn't in the other one
				want, stride = tree(t, fresh), 3*everyStep
			}
			for n, round := 1, 0; !t.Failed(); n, round = n+stride, round+1 {
				dir := service(t, 1, start)
				code, said := idemgen(t, dir, fmt.Sprint("kill ", n), "generate")
				if code == 0 {
					wantTree(t, dir, want)
					if n < 20 {
						t.Errorf("the run had %d steps only", n)
					}
					return
				}
				if code != -1 {
					t.Fatalf("exit code %d: %s", code, said)
				}
				wholeFiles(t, start, tree(t, dir), want)
				if round%2 == 0 || start == nil {
					wantCheck(t, dir, want)
					mustGenerate(t, dir)
					wantTree(t, dir, want)
				} else {
					restore(t, dir, inputs(2))
					mustGenerate(t, dir)
					wantTree(t, dir, trees[2])
				}
				if t.Failed() {
					t.Errorf("killed before step %d", n)
				}
			}
		})
	}
}

// wholeFiles checks that each file is as before or new, and none is lost.
func wholeFiles(t *testing.T, before, now, want map[string]string) {
	t.Helper()
	for name, content := range now {
		old, wasThere := before[name]
		fresh, wanted := want[name]
		if _, input := inputs(1)[name]; input || name == lock.Name || strings.HasSuffix(name, ".tmp") {
			continue
		}
		if (!wasThere || content != old) && (!wanted || content != fresh) {
			t.Errorf("%s is neither old nor new:\n%s", name, content)
		}
	}
	for name := range before {
		if _, ok := now[name]; !ok && want[name] != "" {
			t.Errorf("%s is lost", name)
		}
	}
}

// A disk that is full after so many bytes of a file: the run says so, and leaves
// everything as it was. One that is ended by it leaves staged files at most.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	trees := history(t)
	var sizes []int
	for name, content := range trees[1] {
		if content != trees[0][name] && inputs(1)[name] == "" {
			sizes = append(sizes, len(content)-1)
		}
	}
	sizes = append(sizes, 0)
	for _, size := range sizes {
		dir := service(t, 1, trees[0])
		before := tree(t, dir)
		code, said := idemgen(t, dir, fmt.Sprint("limit ", size), "generate")
		if code != 2 || !strings.Contains(said, "file too large; nothing was written") {
			t.Errorf("exit code %d: %s", code, said)
		}
		wantTree(t, dir, before)
		for _, name := range []string{"db/sql"} {
			if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the folder %s was made for nothing", name)
			}
		}

		if code, _ = idemgen(t, dir, fmt.Sprint("crash ", size), "generate"); code == 0 {
			t.Error("the limit had no effect")
		}
		now := tree(t, dir)
		maps.DeleteFunc(now, func(name, _ string) bool { return strings.HasSuffix(name, ".tmp") })
		if !maps.Equal(now, before) {
			t.Error("a run that ended while it staged its files has changed others")
		}
		mustGenerate(t, dir)
		wantTree(t, dir, trees[1])
	}
}

// A folder that can't be written: found out before anything is changed, unless
// all that is to be done there is to delete.
func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	trees := history(t)
	for _, folder := range []string{".", "api", "db", "db/migrations", "db/queries"} {
		dir := service(t, 1, trees[0])
		before := tree(t, dir)
		uid := unprivileged(t, dir)
		closed := filepath.Join(dir, folder)
		if err := os.Chmod(closed, 0o555); err != nil {
			t.Fatal(err)
		}
		code, said := idemgen(t, dir, fmt.Sprint("user ", uid), "generate")
		if code != 2 || !strings.Contains(said, "permission denied") {
			t.Errorf("%s: exit code %d: %s", folder, code, said)
		}
		if folder == "db/queries" {
			if !strings.Contains(said, "run idemgen generate again") {
				t.Errorf("%s: %s", folder, said)
			}
			wholeFiles(t, before, tree(t, dir), trees[1])
			wantCheck(t, dir, trees[1])
		} else {
			wantTree(t, dir, before)
		}
		if err := os.Chmod(closed, 0o755); err != nil {
			t.Fatal(err)
		}
		mustGenerate(t, dir)
		wantTree(t, dir, trees[1])
	}
}

// unprivileged gives dir to somebody whom permissions bind, and returns who it is:
// ourselves, unless we are root.
func unprivileged(t *testing.T, dir string) int {
	t.Helper()
	if os.Getuid() != 0 {
		return os.Getuid()
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Fatal(err)
	}
	uid, err := strconv.Atoi(nobody.Uid)
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(name, uid, -1))
	})
	if err != nil {
		t.Fatal(err)
	}
	return uid
}
