package compare

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/idemgen/idemgen/bench/internal/candidates"
)

// process is a child of ours, which listens.
type process struct {
	address string
	cmd     *exec.Cmd
	stderr  bytes.Buffer
}

func startChild(ctx context.Context, work string, args ...string) (*process, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.CommandContext(ctx, executable, args...)}
	p.cmd.Env = append(os.Environ(), childVariable+"="+work)
	p.cmd.Stderr = &p.stderr
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if _, err := p.cmd.StdinPipe(); err != nil { // open for as long as we live
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	line, _ := bufio.NewReader(stdout).ReadString('\n') // empty if it ends early
	if p.address = strings.TrimSpace(line); p.address == "" {
		return nil, errors.Join(fmt.Errorf("%s %s doesn't start: %s", work, strings.Join(args, " "), &p.stderr), p.kill())
	}
	return p, nil
}

// kill ends it with SIGKILL, at once, if it hasn't ended yet.
func (p *process) kill() error {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	_ = p.cmd.Wait() // it says that it was killed
	return nil
}

// server describes a candidate's server.
type server struct {
	candidate       *candidates.Candidate
	database, redis string
	connections     int
	lease           time.Duration
}

func (s server) start(ctx context.Context) (*process, error) {
	return startChild(ctx, "serve", "-candidate", s.candidate.Name, "-database", s.database, "-redis", s.redis,
		"-connections", strconv.Itoa(s.connections), "-lease", s.lease.String())
}

func startDelay(ctx context.Context, to string, each time.Duration) (*process, error) {
	return startChild(ctx, "delay", "-to", to, "-each", each.String())
}
