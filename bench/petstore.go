package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// connections is how many the service's pool has by default, and a closed loop
// has workers.
const connections = 16

// petstore is the real service, as a process.
type petstore struct {
	url    string
	cmd    *exec.Cmd
	stderr bytes.Buffer
	client *http.Client
}

// build builds the service in the module at root.
func build(ctx context.Context, root, dir string) (string, error) {
	path := filepath.Join(dir, "petstore")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", path, "./examples/petstore")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the petstore: %w: %s", err, out)
	}
	return path, nil
}

// serve starts the service, which migrates the database, and its cleaner with it.
func (r *run) serve(ctx context.Context, database string) (*petstore, error) {
	p := &petstore{cmd: exec.CommandContext(ctx, r.petstore)}
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(syscall.SIGTERM) }
	p.cmd.Env = append(os.Environ(), "ADDR=127.0.0.1:0", "API_KEYS=bench:bench", "WEBHOOK_SECRET=whsec_YmVuY2gtYmVuY2gtYmVuY2gtYmVuY2gtYmVuY2g=",
		fmt.Sprintf("DATABASE_URL=%s&pool_max_conns=%d", database, r.connections))
	p.cmd.Stderr = &p.stderr
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	line, _ := bufio.NewReader(stdout).ReadString('\n') // empty if it ends early
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if !ok {
		return nil, fmt.Errorf("the petstore doesn't start: %w: %s", p.stop(), &p.stderr)
	}
	p.url = url
	p.client = &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: 1000, DisableCompression: true},
		Timeout:   time.Minute,
	}
	return p, nil
}

func (p *petstore) stop() error {
	return errors.Join(p.cmd.Process.Signal(syscall.SIGTERM), p.cmd.Wait())
}

// createPet posts a pet under a key.
func (p *petstore) createPet(ctx context.Context, key string, replayed bool) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+"/pets", strings.NewReader(`{"name":"Rex","tag":"dog"}`))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Api-Key", "bench")
	request.Header.Set("Idempotency-Key", key)
	response, err := p.client.Do(request)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return err
	}
	if response.StatusCode != http.StatusCreated || replayed != (response.Header.Get("Idempotency-Replayed") == "true") {
		return fmt.Errorf("key %s: %s, replayed %q, want 201 and %v: %s", key, response.Status, response.Header.Get("Idempotency-Replayed"), replayed, body)
	}
	return nil
}
