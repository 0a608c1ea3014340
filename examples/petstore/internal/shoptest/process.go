package shoptest

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Process is the service as a program, to be killed.
type Process struct {
	// URL is where it serves.
	URL string

	t      testing.TB
	cmd    *exec.Cmd
	stderr *bytes.Buffer
	exited chan error
}

// Exec builds the program, starts it with API_KEYS=APIKeys on a free port, and
// waits until it accepts connections. The environment, such as
// "DATABASE_URL=...", comes on top of the test's own. The process goes with the
// test at the latest.
func Exec(t testing.TB, env ...string) *Process {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	p := &Process{t: t, cmd: exec.Command(path), stderr: &bytes.Buffer{}, exited: make(chan error, 1)}
	p.cmd.Env = append(append(os.Environ(), "ADDR=127.0.0.1:0", "API_KEYS="+APIKeys), env...)
	p.cmd.Stderr = p.stderr
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)

	line, _ := bufio.NewReader(stdout).ReadString('\n') // "" at its early end
	go func() { p.exited <- p.cmd.Wait() }()
	url, found := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "listening on ")
	if !found {
		p.Kill()
		t.Fatalf("the first line on stdout is %q; stderr: %s", line, p.stderr)
	}
	p.URL = url
	return p
}

// Client speaks to the process with acme's API key.
func (p *Process) Client() *Client { return NewClient(p.t, p.URL, AcmeKey) }

// Stop asks the process to end, and returns how it ended.
func (p *Process) Stop(within time.Duration) error {
	p.t.Helper()
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // ended already: exited tells
	select {
	case err := <-p.exited:
		p.exited <- err
		return err
	case <-time.After(within):
		p.Kill()
		p.t.Errorf("the process was still there after %s; stderr: %s", within, p.stderr)
		return nil
	}
}

// Kill ends the process at once, as a crash does, and waits until it is gone.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // ended already: exited tells
	err := <-p.exited
	p.exited <- err
}

// Stderr is what the process has logged. It may be asked once the process has ended.
func (p *Process) Stderr() string { return p.stderr.String() }

// binary builds the program once per test binary.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "petstore")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "petstore")
	build := exec.Command("go", "build", "-o", path, "github.com/idemgen/idemgen/examples/petstore")
	build.Stderr = os.Stderr
	return path, build.Run()
})
