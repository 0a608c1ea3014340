package pgtest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/pgtest"
)

// childVariable makes this test binary one of the programs in children.
const childVariable = "PGTEST_TEST_CHILD"

// graceVariable is a child's time of grace, instead of the usual one.
const graceVariable = "PGTEST_TEST_GRACE"

func TestMain(m *testing.M) {
	if mode, ok := os.LookupEnv(childVariable); ok {
		_ = os.Unsetenv(childVariable)
		if grace, err := time.ParseDuration(os.Getenv(graceVariable)); err == nil {
			pgtest.SetGrace(grace)
		}
		children[mode]()
		os.Exit(0)
	}
	// These tests are about clusters of our own; the one about DATABASE_URL sets it.
	_ = os.Unsetenv("DATABASE_URL")
	os.Exit(m.Run())
}

func TestDatabase(t *testing.T) {
	t.Parallel()
	for i := range 8 {
		t.Run(fmt.Sprintf("Ünïque name/%d %s", i, strings.Repeat("long", 20)), func(t *testing.T) {
			t.Parallel()
			conn := open(t, pgtest.Database(t))
			// In a database that others use too, the second of these would fail.
			run(t, conn, "CREATE TABLE here (i int)")
			run(t, conn, "INSERT INTO here VALUES (1)")
			if n := query[int](t, conn, "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"); n != 1 {
				t.Errorf("the database holds %d relations, want 1", n)
			}
			if enc := query[string](t, conn, "SHOW server_encoding"); enc != "UTF8" {
				t.Errorf("server_encoding = %s", enc)
			}
		})
	}
}

func TestDatabaseIsDropped(t *testing.T) {
	t.Parallel()
	var name string
	t.Run("inner", func(t *testing.T) {
		// Left open: dropping must not wait for it.
		conn, err := pgx.Connect(t.Context(), pgtest.Database(t))
		if err != nil {
			t.Fatal(err)
		}
		name = conn.Config().Database
	})
	if databaseExists(t, open(t, pgtest.Database(t)), name) {
		t.Errorf("%s still exists", name)
	}
}

// Many test binaries that start at the same moment share one cluster, which goes with the last of them.
func TestProcessesShareCluster(t *testing.T) {
	t.Parallel()
	const n = 8
	all := make([]*child, n)
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() { all[i] = startChild(t, "database") })
	}
	wg.Wait()
	for _, c := range all[1:] {
		if c.System != all[0].System || c.Data != all[0].Data {
			t.Errorf("two clusters: %+v and %+v", all[0].report, c.report)
		}
	}
	for _, c := range all {
		c.finish(t)
	}
	all[0].wantNothingLeft(t)
}

// Without a time of grace, a supervisor begins to stop whenever nobody is there for a moment, and others arrive just then.
func TestArriveDuringShutdown(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	var wg sync.WaitGroup
	for worker := range 3 {
		wg.Go(func() {
			for round := range 3 {
				c := startChild(t, "database", graceVariable+"=0s", "TMPDIR="+dir)
				time.Sleep(time.Duration(worker*round) * 10 * time.Millisecond)
				c.finish(t)
			}
		})
	}
	wg.Wait()
	eventually(t, "files in "+dir, func() bool { return len(entries(t, dir)) == 0 })
}

func TestProcessKilledOrPanics(t *testing.T) {
	t.Parallel()
	t.Run("SIGKILL", func(t *testing.T) {
		t.Parallel()
		c := startChild(t, "database", "TMPDIR="+shortDir(t))
		c.kill(t)
		c.wantNothingLeft(t)
	})
	t.Run("SIGKILL while it starts", func(t *testing.T) {
		t.Parallel()
		for _, wait := range []int{0, 50, 200, 500} {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				dir := shortDir(t)
				cmd := program("database", "TMPDIR="+dir)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Duration(wait) * time.Millisecond)
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
				// If it had no time to start a supervisor, an empty directory stays for the next one to sweep.
				failing(t, "DATABASE_URL=none", "TMPDIR="+dir)
				eventually(t, "files in "+dir, func() bool { return len(entries(t, dir)) == 0 })
			})
		}
	})
	t.Run("panic", func(t *testing.T) {
		t.Parallel()
		c := startChild(t, "panic", "TMPDIR="+shortDir(t))
		if err := c.cmd.Wait(); err == nil {
			t.Error("it doesn't panic")
		}
		c.wantNothingLeft(t)
	})
}

// Whoever sets TMPDIR may remove it as soon as the tests have ended.
func TestStateDirectoryRemoved(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	c := startChild(t, "database", "TMPDIR="+dir)
	c.kill(t)
	state := filepath.Dir(filepath.Dir(c.Data))
	eventually(t, state, func() bool { return os.RemoveAll(state) == nil })
	eventually(t, "supervisor", func() bool { return !running(c.Supervisor) && !running(c.Postgres) })
}

func TestSupervisorKilled(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	c := startChild(t, "database", "TMPDIR="+dir)
	if err := syscall.Kill(c.Supervisor, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" { // Elsewhere the next supervisor does it.
		eventually(t, "postgres", func() bool { return !running(c.Postgres) })
	}
	c.kill(t)
	if len(entries(t, dir)) == 0 {
		t.Fatal("nothing left to sweep")
	}
	// Another program sweeps what is left, though it has a state directory of its own.
	other := startChild(t, "server", "TMPDIR="+dir)
	eventually(t, c.Data, func() bool { return !exists(c.Data) && !running(c.Postgres) })
	other.finish(t)
	eventually(t, "files in "+dir, func() bool { return len(entries(t, dir)) == 0 })
}

func TestServer(t *testing.T) {
	t.Parallel()
	s, err := pgtest.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	main := open(t, s.URL())
	data := query[string](t, main, "SHOW data_directory")
	dsn, err := s.NewDatabase(t.Context(), `it's "new"`)
	if err != nil {
		t.Fatal(err)
	}
	if name := open(t, dsn).Config().Database; name != `it's "new"` {
		t.Errorf("name = %s", name)
	}
	if _, err := s.NewDatabase(t.Context(), `it's "new"`); err == nil {
		t.Error("a second database of the same name is no error")
	}
	pid := postmaster(t, data)
	for range 2 {
		if err := s.Stop(); err != nil {
			t.Errorf("Stop: %v", err)
		}
	}
	if state := filepath.Dir(filepath.Dir(data)); exists(state) || running(pid) {
		t.Errorf("after Stop, of %s and process %d something is left", state, pid)
	}
}

func TestServerOfKilledProgram(t *testing.T) {
	t.Parallel()
	c := startChild(t, "server")
	c.kill(t)
	c.wantNothingLeft(t)
}

func TestStartCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := pgtest.Start(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

func TestDatabaseURL(t *testing.T) {
	t.Parallel()
	s, err := pgtest.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Stop() }()
	conn := open(t, s.URL())
	run(t, conn, "CREATE DATABASE theirs")
	count := func() int { return query[int](t, conn, "SELECT count(*) FROM pg_database") }
	before := count()
	for _, mode := range []string{"database", "server"} {
		for _, end := range []func(*child, pgtest.TB){(*child).finish, (*child).kill} {
			c := startChild(t, mode, "DATABASE_URL="+s.URL(), "TMPDIR="+shortDir(t))
			if !databaseExists(t, conn, c.Database) || !strings.HasPrefix(c.Database, "pgtest_") {
				t.Errorf("%s: not in the server of DATABASE_URL: %+v", mode, c.report)
			}
			end(c, t)
			eventually(t, "databases", func() bool { return count() == before })
		}
	}
	out := failing(t, "DATABASE_URL=host=localhost password=secret")
	if !strings.Contains(out, "DATABASE_URL is set") || strings.Contains(out, "secret") {
		t.Errorf("error = %s", out)
	}
}

func TestNoPostgreSQL(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close() // Now nobody listens there.
	dir := shortDir(t)
	out := failing(t, "PGTEST_BINDIR="+t.TempDir(), "PGTEST_REPOSITORY_URL=http://"+listener.Addr().String(),
		"HOME="+t.TempDir(), "XDG_CACHE_HOME=", "TMPDIR="+dir)
	for _, want := range []string{"DATABASE_URL", "apt-get install postgresql", "download", listener.Addr().String()} {
		if !strings.Contains(out, want) {
			t.Errorf("the error lacks %q: %s", want, out)
		}
	}
	eventually(t, "files in "+dir, func() bool { return len(entries(t, dir)) == 0 })
}

// report is what a child says about itself on its standard output.
type report struct {
	URL, Database, Data, System string
	Supervisor, Postgres        int
}

// children end when their standard input does.
var children = map[string]func(){
	"database": func() {
		tb := &fakeTB{}
		say(pgtest.Database(tb), pgtest.SupervisorPID())
		_, _ = io.Copy(io.Discard, os.Stdin)
		tb.done()
	},
	"panic": func() {
		say(pgtest.Database(&fakeTB{}), pgtest.SupervisorPID())
		panic("as planned")
	},
	"server": func() {
		s, err := pgtest.Start(context.Background())
		check(err)
		say(s.URL(), 0)
		_, _ = io.Copy(io.Discard, os.Stdin)
		check(s.Stop())
	},
	"fail": func() {
		_, err := pgtest.Start(context.Background())
		fmt.Println(err)
	},
	// As go does, runs test binaries one after the other.
	"go": func() {
		var last report
		for range 3 {
			c := startChild(&fakeTB{}, "database", graceVariable+"=0s")
			c.finish(&fakeTB{})
			if last.System != "" && last.System != c.System {
				check(errors.New("a new cluster for each test binary"))
			}
			last = c.report
			time.Sleep(200 * time.Millisecond)
		}
		check(json.NewEncoder(os.Stdout).Encode(last))
		_, _ = io.Copy(io.Discard, os.Stdin)
	},
}

func say(dsn string, supervisor int) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	check(err)
	r := report{URL: dsn, Database: conn.Config().Database, Supervisor: supervisor}
	check(conn.QueryRow(ctx, "SELECT system_identifier::text, current_setting('data_directory') FROM pg_control_system()").Scan(&r.System, &r.Data))
	r.Postgres, err = postmasterPID(r.Data)
	check(err)
	check(conn.Close(ctx))
	check(json.NewEncoder(os.Stdout).Encode(r))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type fakeTB struct{ cleanups []func() }

func (*fakeTB) Helper()                   {}
func (*fakeTB) Name() string              { return "fake" }
func (*fakeTB) Fatalf(f string, a ...any) { check(fmt.Errorf(f, a...)) }
func (*fakeTB) Logf(f string, a ...any)   { check(fmt.Errorf(f, a...)) }
func (tb *fakeTB) Cleanup(f func())       { tb.cleanups = append(tb.cleanups, f) }
func (tb *fakeTB) done() {
	for _, f := range tb.cleanups {
		f()
	}
}

type child struct {
	report
	cmd   *exec.Cmd
	stdin io.Closer
}

func program(mode string, env ...string) *exec.Cmd {
	executable, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(executable)
	cmd.Env = append(append(os.Environ(), childVariable+"="+mode, graceVariable+"=200ms"), env...)
	cmd.Stderr = os.Stderr
	return cmd
}

func startChild(t pgtest.TB, mode string, env ...string) *child {
	t.Helper()
	cmd := program(mode, env...)
	if mode == "panic" {
		cmd.Stderr = nil
	}
	return startCommand(t, cmd)
}

func startCommand(t pgtest.TB, cmd *exec.Cmd) *child {
	t.Helper()
	stdin, err1 := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatalf("start: %v", err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	c := &child{cmd: cmd, stdin: stdin}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &c.report)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	return c
}

// failing returns the error of a program that can't start a server.
func failing(t testing.TB, env ...string) string {
	t.Helper()
	out, err := program("fail", env...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func (c *child) finish(t pgtest.TB) {
	t.Helper()
	_ = c.stdin.Close()
	if err := c.cmd.Wait(); err != nil {
		t.Fatalf("child: %v", err)
	}
}

func (c *child) kill(t pgtest.TB) {
	t.Helper()
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

func (c *child) wantNothingLeft(t testing.TB) {
	t.Helper()
	state := filepath.Dir(filepath.Dir(c.Data))
	eventually(t, fmt.Sprintf("%s and process %d", state, c.Postgres), func() bool { return !exists(state) && !running(c.Postgres) })
}

func eventually(t testing.TB, what string, gone func() bool) {
	t.Helper()
	for deadline := time.Now().Add(15 * time.Second); !gone(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("still there: %s", what)
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

func running(pid int) bool {
	// A container's first process may leave zombies.
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) && !strings.Contains(string(stat), ") Z ")
}

// shortDir is a temporary directory in which a socket's path fits and which other users may enter.
func shortDir(t testing.TB) string {
	t.Helper()
	base := os.TempDir()
	if len(base) > 30 {
		base = "/tmp"
	}
	dir, err := os.MkdirTemp(base, "pgt")
	if err == nil {
		err = os.Chmod(dir, 0o711)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func entries(t testing.TB, dir string) []fs.DirEntry {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func postmasterPID(data string) (int, error) {
	content, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(content), "\n")
	return strconv.Atoi(line)
}

func postmaster(t testing.TB, data string) int {
	t.Helper()
	pid, err := postmasterPID(data)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func open(t testing.TB, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func run(t testing.TB, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(context.Background(), sql); err != nil {
		t.Fatal(err)
	}
}

func query[T any](t testing.TB, conn *pgx.Conn, sql string, args ...any) T {
	t.Helper()
	var v T
	if err := conn.QueryRow(context.Background(), sql, args...).Scan(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func databaseExists(t testing.TB, conn *pgx.Conn, name string) bool {
	t.Helper()
	return query[bool](t, conn, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name)
}
