package gomod

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// ToolPackage is the main package of the tool.
const ToolPackage = tool

// Source is where a new module gets idemgen from.
type Source struct {
	Version string
	// Dir is the checkout, as replace lines have it; empty for a release.
	Dir string
}

// FindSource decides where the module in dir gets idemgen from, as Require does.
func FindSource(dir, replaceDir string) (Source, error) {
	found, err := find(dir, replaceDir)
	return Source{found.version, found.dir}, err
}

// Commands are what a user types to do what Tidy does.
var Commands = []string{
	"go mod tidy",
	"go list -modfile=" + ToolsFile + " -mod=mod -deps " + tool + " > " + os.DevNull,
}

// Tidy completes go.mod and tools.mod of a new module in dir with what their
// packages need, and with the sums, so that later builds work without a network.
func Tidy(ctx context.Context, dir string) error {
	for _, args := range [][]string{
		{"mod", "tidy"},
		{"list", "-modfile=" + ToolsFile, "-mod=mod", "-deps", tool}, // go get -tool would ask the proxy first
	} {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off") // -modfile is not for workspaces
		var said bytes.Buffer
		cmd.Stderr = &said
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("go %s in %s: %w: %s", args[0], filepath.Clean(dir), err, bytes.TrimSpace(said.Bytes()))
		}
	}
	return nil
}
