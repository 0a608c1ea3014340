package gomod

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// The modules of idemgen that a service depends on, and the one of the tool.
const (
	Root    = "github.com/idemgen/idemgen"
	Runtime = Root + "/runtime"
	PGTest  = Root + "/pgtest"

	tool = Root + "/cmd/idemgen"
)

// unreleased is the version of a module that a replace line stands for.
const unreleased = "v0.0.0"

// source is where idemgen's modules come from: a release, or a checkout.
type source struct {
	version string
	dir     string // of the checkout, as replace lines have it; empty for a release
}

// find takes the checkout that the user names, else the one that this binary
// was built from, else the release that it is. Replace lines of moduleDir are
// relative if replaceDir is.
func find(moduleDir, replaceDir string) (source, error) {
	if replaceDir == "" {
		if dir := Checkout(); dir != "" {
			return source{unreleased, filepath.ToSlash(dir)}, nil
		}
		version, ok := release()
		if !ok {
			return source{}, errors.New("this idemgen is not a release, and its source isn't there; name a checkout of idemgen with --replace DIR")
		}
		return source{version: version}, nil
	}
	if !isCheckout(replaceDir) {
		return source{}, fmt.Errorf("--replace %s: no checkout of idemgen is there; name the folder whose go.mod says %q", replaceDir, "module "+Root)
	}
	if filepath.IsAbs(replaceDir) {
		return source{unreleased, filepath.ToSlash(filepath.Clean(replaceDir))}, nil
	}
	dir, err := relative(moduleDir, replaceDir)
	return source{unreleased, dir}, err
}

// relative is target as the go command finds it from base.
func relative(base, target string) (string, error) {
	for _, p := range []*string{&base, &target} {
		abs, err := filepath.Abs(*p)
		if err == nil {
			abs, err = filepath.EvalSymlinks(abs)
		}
		if err != nil {
			return "", err
		}
		*p = abs
	}
	rel, err := filepath.Rel(base, target)
	if err != nil {
		return "", err
	}
	rel = filepath.ToSlash(rel)
	if !modfile.IsDirectoryPath(rel) {
		rel = "./" + rel
	}
	return rel, nil
}

// Checkout is the folder of the working tree that this binary was built from,
// or empty when it was built from a release, or the tree is gone.
func Checkout() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) || strings.Contains(file, "@") {
		return "" // -trimpath, or the module cache
	}
	dir := filepath.Dir(filepath.Dir(filepath.Dir(file)))
	if !isCheckout(dir) {
		return ""
	}
	return dir
}

func isCheckout(dir string) bool {
	for sub, path := range map[string]string{"": Root, "runtime": Runtime} {
		content, err := os.ReadFile(filepath.Join(dir, sub, "go.mod"))
		if err != nil || modfile.ModulePath(content) != path {
			return false
		}
	}
	return true
}

// release is the version of this binary's module, if others can get it too.
func release() (string, bool) {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != Root || info.Main.Replace != nil {
		return "", false
	}
	v := info.Main.Version
	return v, semver.IsValid(v) && semver.Build(v) == "" && !module.IsPseudoVersion(v)
}

// folder is where a replace line of path leads.
func (s source) folder(path string) string {
	return s.dir + strings.TrimPrefix(path, Root)
}
