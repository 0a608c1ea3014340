package shoptest

import (
	"bufio"
	"bytes"
	"context"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/idemgen/idemgen/examples/petstore/internal/app"
)

// Process is the service as a process of its own, which can be killed.
type Process struct {
	// URL is where it serves.
	URL string

	t      testing.TB
	cmd    *exec.Cmd
	stderr bytes.Buffer
	exited chan error // holds one value once the process has ended
}

// serviceVariable, when set, makes a test binary the service instead.
const serviceVariable = "SHOPTEST_SERVICE"

var mainCalled bool

// Main is the TestMain of packages that use Exec:
//
//	func TestMain(m *testing.M) { shoptest.Main(m) }
func Main(m *testing.M) {
	if os.Getenv(serviceVariable) != "" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		err := app.Run(ctx, app.ConfigFromEnv(os.Getenv), os.Stdout)
		stop()
		if err != nil {
			log.Fatal(err)
		}
		return
	}
	mainCalled = true
	m.Run()
}

// Exec starts the service as a process: the test's own binary, so that there is
// nothing to build, and the race detector is in it if it is in the test. The
// package's TestMain must call Main. See ExecCommand.
func Exec(t testing.TB, env ...string) *Process {
	t.Helper()
	if !mainCalled {
		t.Fatal("the package needs a TestMain that calls shoptest.Main")
	}
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return ExecCommand(t, path, append(env, serviceVariable+"=1")...)
}

// ExecCommand starts the program at path on a free port, with APIKeys and
// WebhookSecret, and waits until it accepts connections. The environment, such as
// "DATABASE_URL=...", comes on top of the test's own. The process goes with the
// test at the latest.
func ExecCommand(t testing.TB, path string, env ...string) *Process {
	t.Helper()
	p := &Process{t: t, cmd: exec.CommandContext(t.Context(), path), exited: make(chan error, 1)}
	p.cmd.Env = append(append(os.Environ(), "ADDR=127.0.0.1:0", "API_KEYS="+APIKeys, "WEBHOOK_SECRET="+WebhookSecret), env...)
	p.cmd.Stderr = &p.stderr
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)

	line, _ := bufio.NewReader(stdout).ReadString('\n') // empty if the process ends early
	go func() { p.exited <- p.cmd.Wait() }()
	url, found := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "listening on ")
	if !found {
		p.Kill()
		t.Fatalf("the first line on stdout is %q; stderr: %s", line, &p.stderr)
	}
	p.URL = url
	return p
}

// Client speaks to the process with acme's API key.
func (p *Process) Client() *Client { return NewClient(p.t, p.URL, AcmeKey) }

// Signal sends a signal, such as os.Interrupt, to the process.
func (p *Process) Signal(signal os.Signal) error { return p.cmd.Process.Signal(signal) }

// Wait waits until the process has ended, and returns how. One that is there
// too long is killed, and an error of the test.
func (p *Process) Wait(atMost time.Duration) error {
	p.t.Helper()
	select {
	case err := <-p.exited:
		p.exited <- err
		return err
	case <-time.After(atMost):
		p.Kill()
		p.t.Errorf("the process was still there after %s; stderr: %s", atMost, &p.stderr)
		return nil
	}
}

// Kill ends the process at once, as a crash does, and waits until it is gone.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // it has ended already, or will now
	p.exited <- <-p.exited
}

// Stderr is what a process that has ended has logged.
func (p *Process) Stderr() string { return p.stderr.String() }
