package scaffold

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
)

// Commands are those that complete go.mod and tools.mod, each with its sums, for
// the user to type if Tidy can't.
var Commands = []string{
	"go mod tidy",
	"go get -modfile=tools.mod -tool " + toolPackage,
}

// Tidy completes go.mod and tools.mod of the service in dir with the go command,
// so that all that is built later works without a network.
func Tidy(ctx context.Context, dir string) error {
	// Listing what the tool is made of notes all its requirements, like go get does,
	// without asking for newer versions.
	for _, args := range [][]string{
		{"mod", "tidy"},
		{"list", "-modfile=tools.mod", "-mod=mod", "-deps", toolPackage},
	} {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
		}
	}
	return nil
}
