package life

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
)

// server is one revision of the service, at work.
type server struct {
	url   string
	cmd   *exec.Cmd
	said  *output
	ended chan error
}

var listening = regexp.MustCompile(`url=(http://\S+)`)

// output is what a server has said so far. It tells where the server listens.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	url  chan string // nil once it is told
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Write(p)
	if m := listening.FindSubmatch(o.text.Bytes()); m != nil && o.url != nil {
		o.url <- string(m[1])
		o.url = nil
	}
	return len(p), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// serve starts a program and waits until it listens.
func (w *walk) serve(program string) *server {
	w.t.Helper()
	url := make(chan string, 1)
	s := &server{cmd: exec.CommandContext(w.t.Context(), program), said: &output{url: url}, ended: make(chan error, 1)}
	s.cmd.Env = append(os.Environ(), "DATABASE_URL="+w.url, "ADDR=127.0.0.1:0", "API_KEYS=acme:"+apiKey)
	s.cmd.Stderr = s.said
	w.check(s.cmd.Start())
	go func() { s.ended <- s.cmd.Wait() }()
	w.t.Cleanup(func() {
		if err := s.cmd.Process.Kill(); err == nil && w.t.Failed() { // it was still there
			w.t.Logf("%s said:\n%s", filepath.Base(program), s.said)
		}
	})
	select {
	case s.url = <-url:
	case err := <-s.ended:
		w.t.Fatalf("%s doesn't serve: %v\n%s", program, err, s.said)
	}
	return s
}

// stop ends a server as a deploy does.
func (w *walk) stop(s *server) {
	w.t.Helper()
	w.check(s.cmd.Process.Signal(syscall.SIGTERM))
	if err := <-s.ended; err != nil {
		w.t.Errorf("the server ended with %v\n%s", err, s.said)
	}
}

// build compiles the service while the walk does something else. The program's
// name is sent when it is there.
func (w *walk) build(name string) <-chan string {
	built := make(chan string, 1)
	program := filepath.Join(w.bin, name)
	cmd := exec.CommandContext(w.t.Context(), "go", "build", "-o", program, "./cmd/ledger")
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	go func() {
		defer close(built)
		if out, err := cmd.CombinedOutput(); err != nil {
			w.t.Errorf("%s: go build: %v\n%s", name, err, out)
			return
		}
		built <- program
	}()
	return built
}

// idemgen runs the command in the service's folder.
func (w *walk) idemgen(args ...string) (stdout, stderr string, code int) {
	w.t.Helper()
	return command(w.t, w.dir, args...)
}

func command(t *testing.T, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	cmd.Env = append(os.Environ(), asIdemgen+"=1", "GOWORK=off")
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
