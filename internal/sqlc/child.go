// Package sqlc runs sqlc, whose only public entry is its command line, as a
// child of our own executable. It wants files on disk and may end the process,
// so it gets a temporary folder and a process of its own.
package sqlc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/sqlc-dev/sqlc/pkg/cli"
)

// childVariable, set in the environment, makes the executable act as sqlc.
const childVariable = "IDEMGEN_RUN_SQLC"

// RunAsChild makes this process sqlc if Generate has started it for that, and
// returns its exit code. The main function, and TestMain where Generate is
// tested, call it before anything else.
func RunAsChild() (code int, ok bool) {
	if os.Getenv(childVariable) == "" {
		return 0, false
	}
	return cli.Run(os.Args[1:]), true
}

// errFailed says that sqlc has found fault with its input, and said so.
var errFailed = errors.New("sqlc failed")

func runChild(ctx context.Context, dir, configFile string) (stderr []byte, err error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find our own executable to run sqlc: %w", err)
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, executable, "generate", "--no-remote", "--file", configFile)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), childVariable+"=1")
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return out.Bytes(), errFailed
	}
	if err != nil {
		return out.Bytes(), fmt.Errorf("run sqlc: %w", err)
	}
	return out.Bytes(), nil
}
