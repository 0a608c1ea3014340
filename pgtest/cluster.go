package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cluster is a running throwaway server.
type cluster struct {
	cmd  *exec.Cmd
	url  string
	done chan struct{}
}

// startCluster makes and starts a cluster in dir. It must be called on the thread that the server is to die with.
func startCluster(ctx context.Context, bin, dir string) (*cluster, error) {
	home := filepath.Join(dir, serverDir)
	data := filepath.Join(home, "data")
	credential, err := unprivileged()
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(home, 0o700); err != nil {
		return nil, err
	}
	if credential != nil {
		if err := os.Chown(home, int(credential.Uid), int(credential.Gid)); err != nil {
			return nil, err
		}
	}
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.Dir = home // Ours may be closed to that user.
		cmd.Env = serverEnv()
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
		// postgres takes SIGQUIT for: end at once, and your children first.
		endWithParent(cmd.SysProcAttr, syscall.SIGQUIT)
		return cmd
	}

	err = run(ctx, command("initdb", "-D", data, "-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync"),
		filepath.Join(dir, "initdb.log"))
	if err != nil {
		return nil, err
	}
	// The free port may be taken by somebody else before the server takes it.
	for try := 1; ; try++ {
		c, err := launch(ctx, command, home, data, filepath.Join(dir, serverLogFile))
		if err == nil || ctx.Err() != nil || try == 3 {
			return c, err
		}
	}
}

func launch(ctx context.Context, command func(string, ...string) *exec.Cmd, home, data, log string) (*cluster, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	args := []string{"-D", data}
	for _, setting := range []string{
		"listen_addresses=127.0.0.1",
		"port=" + strconv.Itoa(port),
		"unix_socket_directories=" + home,
		"max_connections=200",
		"fsync=off",
		"synchronous_commit=off",
		"full_page_writes=off",
	} {
		args = append(args, "-c", setting)
	}
	cmd := command("postgres", args...)
	done, err := start(cmd, log)
	if err != nil {
		return nil, err
	}
	c := &cluster{
		cmd:  cmd,
		url:  fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port),
		done: done,
	}
	for !isReady(data, cmd.Process.Pid) {
		select {
		case <-done:
			return nil, fmt.Errorf("postgres: %s%s", cmd.ProcessState, tail(log))
		case <-ctx.Done(): // Nobody waits any more.
			return nil, errors.Join(context.Cause(ctx), c.stop())
		case <-time.After(5 * time.Millisecond):
		}
	}
	return c, nil
}

// isReady reads what pg_ctl reads. That it is this process's word rules out that another server answers on our port.
func isReady(data string, pid int) bool {
	content, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	lines := strings.Split(string(content), "\n")
	return err == nil && len(lines) > 7 && lines[0] == strconv.Itoa(pid) && strings.TrimSpace(lines[7]) == "ready"
}

// ended is closed when the server has ended, asked or not.
func (c *cluster) ended() <-chan struct{} {
	if c == nil {
		return nil
	}
	return c.done
}

// stop ends the server, in the way of pg_ctl's fast mode first.
func (c *cluster) stop() error {
	if c == nil {
		return nil
	}
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL} {
		_ = c.cmd.Process.Signal(signal)
		select {
		case <-c.done:
			return nil
		case <-time.After(6 * time.Second): // After SIGQUIT, postgres itself kills its children 5 seconds later.
		}
	}
	return fmt.Errorf("postgres, process %d, survives SIGKILL", c.cmd.Process.Pid)
}

// start runs cmd with its output in the file log; done is closed when it has ended.
func start(cmd *exec.Cmd, log string) (done chan struct{}, err error) {
	out, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer func() { _ = out.Close() }()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	done = make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(done)
	}()
	return done, nil
}

func run(ctx context.Context, cmd *exec.Cmd, log string) error {
	done, err := start(cmd, log)
	if err != nil {
		return err
	}
	select {
	case <-done:
	case <-ctx.Done(): // Nobody waits any more.
		// Killed, initdb would leave a server behind, and that its shared memory.
		_ = cmd.Process.Signal(syscall.SIGINT)
		<-done
		return context.Cause(ctx)
	}
	if !cmd.ProcessState.Success() {
		return fmt.Errorf("%s: %s%s", filepath.Base(cmd.Path), cmd.ProcessState, tail(log))
	}
	return nil
}

// unprivileged returns whom to run the server as: PostgreSQL refuses to run as root. Nil means as ourselves.
func unprivileged() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		account, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, errors.New("we are root, PostgreSQL must not be, and there is no user postgres or nobody")
	}
	uid, err1 := strconv.ParseUint(account.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(account.Gid, 10, 32)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// serverEnv is our environment without what would change the server: PGDATA, PGPORT, a locale that isn't installed.
func serverEnv() []string {
	var env []string
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "PG") && !strings.HasPrefix(variable, "LC_") && !strings.HasPrefix(variable, "LANG") {
			env = append(env, variable)
		}
	}
	return append(env, "LC_ALL=C")
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return listener.Addr().(*net.TCPAddr).Port, listener.Close()
}
