package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// prepare builds the generator and the example, and generates the example.
func prepare(ctx context.Context, bin string) error {
	root, err := output(ctx, ".", "go", "list", "-f", "{{.Root}}", "github.com/idemgen/idemgen/examples/petstore")
	if err != nil {
		return err
	}
	root = strings.TrimSpace(root)
	for _, build := range [][2]string{{"idemgen", "./cmd/idemgen"}, {"petstore", "./examples/petstore"}} {
		if _, err := output(ctx, root, "go", "build", "-o", filepath.Join(bin, build[0]), build[1]); err != nil {
			return err
		}
	}
	const command = "idemgen generate -c examples/petstore/idemgen.yaml"
	began := time.Now()
	said, err := output(ctx, root, filepath.Join(bin, "idemgen"), strings.Fields(command)[1:]...)
	if err != nil {
		return err
	}
	fmt.Printf("$ %s\n%s(%s)\n", command, said, time.Since(began).Round(10*time.Millisecond))
	return nil
}

func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, exit.Stderr)
	}
	return string(out), err
}

// demo is the example as a process of its own, and its database.
type demo struct {
	ctx      context.Context //nolint:containedctx // one run of one program
	binary   string
	database string
	server   *exec.Cmd
	url      string
}

func (d *demo) startServer() error {
	cmd := exec.CommandContext(d.ctx, d.binary)
	cmd.Env = append(os.Environ(), "DATABASE_URL="+d.database, "ADDR=127.0.0.1:0", "API_KEYS=demo:demo")
	var errors strings.Builder
	cmd.Stderr = &errors
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	d.server = cmd
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
			fmt.Println("petstore (pid", fmt.Sprint(cmd.Process.Pid)+"):", lines.Text())
			d.url = url
			go func() { _, _ = io.Copy(io.Discard, stdout) }()
			return nil
		}
	}
	_ = cmd.Wait()
	return fmt.Errorf("the petstore didn't start:\n%s", errors.String())
}

func (d *demo) stopServer() {
	if d.server != nil {
		_ = d.server.Process.Signal(syscall.SIGTERM)
		_ = d.server.Wait()
		d.server = nil
	}
}

func (d *demo) killServer() error {
	if err := d.server.Process.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	_ = d.server.Wait() // says that it was killed, as it was
	d.server = nil
	return nil
}
