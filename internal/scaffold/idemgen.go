package scaffold

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
)

// The modules of idemgen. They are released together, with one version.
const (
	toolModule    = "github.com/idemgen/idemgen"
	runtimeModule = toolModule + "/runtime"
	pgtestModule  = toolModule + "/pgtest"
	toolPackage   = toolModule + "/cmd/idemgen"
)

// unreleased is the version that is required where a folder replaces it.
const unreleased = "v0.0.0"

// idemgen is what the service is built against: a version, or a checkout.
type idemgen struct {
	Version string
	Dir     string // absolute; empty for none
}

// findIdemgen is the checkout at replace, or else what this program was built
// from: a released version, or a checkout that is still there.
func findIdemgen(replace string) (idemgen, error) {
	if replace != "" {
		dir, err := filepath.Abs(replace)
		if err != nil {
			return idemgen{}, err
		}
		if !isCheckout(dir) {
			return idemgen{}, fmt.Errorf("--replace: %s isn't a checkout of %s", replace, toolModule)
		}
		return idemgen{unreleased, dir}, nil
	}
	if dir := ownCheckout(); dir != "" {
		return idemgen{unreleased, dir}, nil
	}
	info, ok := debug.ReadBuildInfo()
	if ok && info.Main.Replace == nil && info.Main.Path == toolModule && module.Check(toolModule, info.Main.Version) == nil {
		return idemgen{Version: info.Main.Version}, nil
	}
	return idemgen{}, errors.New("this idemgen is no release, and its checkout isn't to be found; name it with --replace")
}

// ownCheckout finds the checkout that this program was built from: go build and
// go run write down where the source is, unless they trim paths; a program that
// lies in the checkout, such as bin/idemgen, is the other clue. The module
// cache is no checkout: it holds each module by itself.
func ownCheckout() string {
	var clues []string
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		clues = append(clues, file)
	}
	if executable, err := os.Executable(); err == nil {
		clues = append(clues, executable)
	}
	for _, clue := range clues {
		for dir := filepath.Dir(clue); ; dir = filepath.Dir(dir) {
			if isCheckout(dir) {
				return dir
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return ""
}

func isCheckout(dir string) bool {
	for sub, want := range map[string]string{".": toolModule, "runtime": runtimeModule, "pgtest": pgtestModule} {
		content, err := os.ReadFile(filepath.Join(dir, sub, "go.mod"))
		if err != nil || modfile.ModulePath(content) != want {
			return false
		}
	}
	return true
}

// pathFrom is the checkout as go.mod in dir names it: by a relative path where
// both are in one place, so that it can be moved as a whole.
func (i idemgen) pathFrom(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(abs, i.Dir)
	if err != nil || strings.Count(filepath.ToSlash(rel), "../") > maxUp || !sharesRoot(abs, i.Dir) {
		return filepath.ToSlash(i.Dir), nil
	}
	rel = filepath.ToSlash(rel)
	if !strings.HasPrefix(rel, "../") && rel != ".." {
		rel = "./" + rel
	}
	return rel, nil
}

// maxUp is how many folders up a relative path still reads well.
const maxUp = 4

// sharesRoot tells whether two folders have more in common than the root.
func sharesRoot(a, b string) bool {
	first := func(p string) string {
		p = strings.TrimPrefix(filepath.ToSlash(p), filepath.ToSlash(filepath.VolumeName(p))+"/")
		head, _, _ := strings.Cut(p, "/")
		return head
	}
	return filepath.VolumeName(a) == filepath.VolumeName(b) && first(a) == first(b)
}
