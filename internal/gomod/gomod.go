// Package gomod adds idemgen to a Go module: the packages that a service is
// built with to its go.mod, and the tool to tools.mod, so that the tool's
// requirements don't become the service's.
package gomod

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// ToolsFile is the module file of the tool, beside go.mod.
const ToolsFile = "tools.mod"

// GenerateCommand runs the pinned tool, from the module's folder.
const GenerateCommand = "go tool -modfile=" + ToolsFile + " idemgen generate"

// Change is a change of a module file that is ready to be written.
type Change struct {
	// File is go.mod or tools.mod.
	File string

	dir           string
	before, after files
}

// Apply writes the change: the file and its sums.
func (c *Change) Apply() error {
	// The sums first: without their requirements they do no harm.
	if err := replaceFile(filepath.Join(c.dir, sumName(c.File)), c.before.sum, c.after.sum); err != nil {
		return err
	}
	return replaceFile(filepath.Join(c.dir, c.File), c.before.mod, c.after.mod)
}

// PlanRuntime makes the module in dir require idemgen's runtime, which comes from
// the checkout at replaceDir, else from the one that this binary was built from,
// else from its own release. What is required already stays as it is, unless
// replaceDir says otherwise. It returns nil if there is nothing to change.
//
// Until something imports the runtime, go mod tidy would remove it again.
func PlanRuntime(ctx context.Context, dir, replaceDir string) (*Change, error) {
	return plan(ctx, dir, "go.mod", func(f *modfile.File) ([]string, error) {
		changed, err := require(f, dir, replaceDir, Runtime, Runtime)
		if err != nil || !changed {
			return nil, err
		}
		for _, r := range f.Require {
			if r.Mod.Path == Runtime {
				return []string{"get", r.Mod.String()}, nil
			}
		}
		return nil, nil
	}, direct)
}

// PlanTools pins the tool in the tools.mod of the module in dir, which is made
// if there is none. Where the tool comes from is decided as by PlanRuntime. It
// returns nil if there is nothing to change.
func PlanTools(ctx context.Context, dir, replaceDir string) (*Change, error) {
	return plan(ctx, dir, ToolsFile, func(f *modfile.File) ([]string, error) {
		changed, err := require(f, dir, replaceDir, Root, Root, Runtime, PGTest)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(f.Tool, func(t *modfile.Tool) bool { return t.Path == tool }) {
			changed = true
			if err := f.AddTool(tool); err != nil {
				return nil, err
			}
		}
		if !changed {
			return nil, nil
		}
		// go get -tool would ask the proxy for a module of the tool's path first.
		return []string{"list", "-mod=mod", "-deps", tool}, nil
	}, func(*modfile.File) {})
}

// direct marks the runtime as imported by the service, which it will be.
func direct(f *modfile.File) {
	for _, r := range f.Require {
		r.Indirect = r.Indirect && r.Mod.Path != Runtime
	}
	f.SetRequireSeparateIndirect(f.Require)
}

// require adds the requirement of path if it is missing, and for a checkout a
// replace line for each of replaced.
func require(f *modfile.File, dir, replaceDir, path string, replaced ...string) (changed bool, err error) {
	missing := !slices.ContainsFunc(f.Require, func(r *modfile.Require) bool { return r.Mod.Path == path })
	if !missing && replaceDir == "" {
		return false, nil
	}
	from, err := find(dir, replaceDir)
	if err != nil {
		return false, err
	}
	if missing {
		if err := f.AddRequire(path, from.version); err != nil {
			return false, err
		}
	}
	changed = missing
	if from.dir == "" {
		return changed, nil
	}
	for _, path := range replaced {
		folder := from.folder(path)
		if slices.ContainsFunc(f.Replace, func(r *modfile.Replace) bool {
			return r.Old.Path == path && r.Old.Version == "" && r.New.Path == folder && r.New.Version == ""
		}) {
			continue
		}
		changed = true
		if err := f.AddReplace(path, "", folder, ""); err != nil {
			return false, err
		}
	}
	return changed, nil
}

// plan changes a module file of the module in dir. change returns the go
// command that then completes it with what its packages need, or nothing if the
// file is right already. All of it happens to a copy.
func plan(ctx context.Context, dir, name string, change func(*modfile.File) ([]string, error), polish func(*modfile.File)) (*Change, error) {
	before, err := read(dir, name)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, name)
	f, err := modfile.Parse(path, before.mod, nil)
	if err != nil {
		return nil, err
	}
	command, err := change(f)
	if err != nil || command == nil {
		return nil, err
	}
	after := before
	if after.mod, err = formatted(f); err != nil {
		return nil, err
	}
	if after, err = complete(ctx, dir, name, after, command); err != nil {
		return nil, err
	}
	if f, err = modfile.Parse(path, after.mod, nil); err != nil {
		return nil, err
	}
	polish(f)
	if after.mod, err = formatted(f); err != nil {
		return nil, err
	}
	return &Change{File: name, dir: dir, before: before, after: after}, nil
}

func formatted(f *modfile.File) ([]byte, error) {
	f.Cleanup()
	return f.Format()
}

// files are a module file and its sums.
type files struct{ mod, sum []byte }

func sumName(name string) string { return strings.TrimSuffix(name, ".mod") + ".sum" }

// read reads a module file and its sums. A tools.mod that isn't there begins as
// a module of go.mod's name and Go version.
func read(dir, name string) (f files, err error) {
	f.mod, err = os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) && name == ToolsFile {
		f.mod, err = freshTools(dir)
	}
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return f, fmt.Errorf("%s: there is no go.mod; run it in the root of your module, or run go mod init first", dir)
		}
		return f, err
	}
	f.sum, err = os.ReadFile(filepath.Join(dir, sumName(name)))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return f, err
}

func freshTools(dir string) ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil, err
	}
	main, err := modfile.Parse(filepath.Join(dir, "go.mod"), content, nil)
	if err != nil {
		return nil, err
	}
	if main.Module == nil {
		return nil, fmt.Errorf("%s has no module line", filepath.Join(dir, "go.mod"))
	}
	tools := new(modfile.File)
	if err := tools.AddModuleStmt(main.Module.Mod.Path); err != nil {
		return nil, err
	}
	if main.Go != nil {
		if err := tools.AddGoStmt(main.Go.Version); err != nil {
			return nil, err
		}
	}
	return tools.Format()
}

// complete has the go command add what packages need: indirect requirements,
// sums, and a go line that is new enough.
func complete(ctx context.Context, dir, name string, f files, command []string) (files, error) {
	work, err := os.MkdirTemp("", "idemgen-mod-")
	if err != nil {
		return f, err
	}
	defer func() { _ = os.RemoveAll(work) }()
	mod, sum := filepath.Join(work, name), filepath.Join(work, sumName(name))
	if err := errors.Join(os.WriteFile(mod, f.mod, 0o600), os.WriteFile(sum, f.sum, 0o600)); err != nil {
		return f, err
	}
	cmd := exec.CommandContext(ctx, "go", slices.Insert(slices.Clone(command), 1, "-modfile="+mod)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off") // -modfile is not for workspaces
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		if said.Len() == 0 {
			return f, fmt.Errorf("run the go command: %w", err)
		}
		return f, fmt.Errorf("%s was not changed; the go command says: %s", filepath.Join(dir, name), bytes.TrimSpace(said.Bytes()))
	}
	if f.mod, err = os.ReadFile(mod); err != nil {
		return f, err
	}
	f.sum, err = os.ReadFile(sum)
	return f, err
}

// replaceFile puts a file in its place whole, unless it has the content already.
func replaceFile(path string, before, after []byte) (err error) {
	if _, statErr := os.Stat(path); bytes.Equal(before, after) && (statErr == nil || len(after) == 0) {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".idemgen-*")
	if err != nil {
		return err
	}
	_, err = f.Write(after)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
