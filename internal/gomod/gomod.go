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

// RequireRuntime makes the module in dir require idemgen's runtime, as Require
// does.
func RequireRuntime(ctx context.Context, dir, replaceDir string) (changed bool, err error) {
	return Require(ctx, dir, replaceDir, Runtime)
}

// Require makes the module in dir require modules of idemgen: Runtime, PGTest.
// They come from the checkout at replaceDir, else from the one that this binary
// was built from, else from its own release. What is required already stays as
// it is, unless replaceDir says otherwise. Both go.mod and go.sum are changed,
// or neither.
//
// Run it before go mod tidy only when something imports the modules.
func Require(ctx context.Context, dir, replaceDir string, modules ...string) (changed bool, err error) {
	return edit(ctx, dir, "go.mod", func(f *modfile.File) ([]string, error) {
		changed, err := require(f, dir, replaceDir, modules, modules)
		if err != nil || !changed {
			return nil, err
		}
		command := []string{"get"}
		for _, r := range f.Require {
			if slices.Contains(modules, r.Mod.Path) {
				command = append(command, r.Mod.String())
			}
		}
		return command, nil
	}, func(f *modfile.File) { direct(f, modules) })
}

// WriteTools pins the tool in the tools.mod of the module in dir, which is made
// if there is none. Where the tool comes from is decided as by Require.
func WriteTools(ctx context.Context, dir, replaceDir string) (changed bool, err error) {
	return edit(ctx, dir, ToolsFile, func(f *modfile.File) ([]string, error) {
		changed, err := require(f, dir, replaceDir, []string{Root}, []string{Root, Runtime, PGTest})
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

// direct marks modules as imported by the service, which they will be.
func direct(f *modfile.File, modules []string) {
	for _, r := range f.Require {
		r.Indirect = r.Indirect && !slices.Contains(modules, r.Mod.Path)
	}
	f.SetRequireSeparateIndirect(f.Require)
}

// require adds the requirements that are missing, and for a checkout a replace
// line for each of replaced.
func require(f *modfile.File, dir, replaceDir string, modules, replaced []string) (changed bool, err error) {
	missing := slices.DeleteFunc(slices.Clone(modules), func(path string) bool {
		return slices.ContainsFunc(f.Require, func(r *modfile.Require) bool { return r.Mod.Path == path })
	})
	if len(missing) == 0 && replaceDir == "" {
		return false, nil
	}
	from, err := find(dir, replaceDir)
	if err != nil {
		return false, err
	}
	for _, path := range missing {
		if err := f.AddRequire(path, from.version); err != nil {
			return false, err
		}
	}
	changed = len(missing) > 0
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

// edit changes a module file of the module in dir. change returns the go
// command that then completes it with what its packages need, or nothing if the
// file is right already. All of it happens to a copy.
func edit(ctx context.Context, dir, name string, change func(*modfile.File) ([]string, error), polish func(*modfile.File)) (changed bool, err error) {
	before, err := read(dir, name)
	if err != nil {
		return false, err
	}
	path := filepath.Join(dir, name)
	f, err := modfile.Parse(path, before.mod, nil)
	if err != nil {
		return false, err
	}
	command, err := change(f)
	if err != nil || command == nil {
		return false, err
	}
	after := before
	if after.mod, err = formatted(f); err != nil {
		return false, err
	}
	if after, err = complete(ctx, dir, name, after, command); err != nil {
		return false, err
	}
	if f, err = modfile.Parse(path, after.mod, nil); err != nil {
		return false, err
	}
	polish(f)
	if after.mod, err = formatted(f); err != nil {
		return false, err
	}
	// The sums first: without their requirements they do no harm.
	if err := replaceFile(filepath.Join(dir, sumName(name)), before.sum, after.sum); err != nil {
		return false, err
	}
	return true, replaceFile(path, before.mod, after.mod)
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
