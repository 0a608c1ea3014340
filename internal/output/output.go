// Package output writes generated files: all of them or none, and only those
// that changed.
package output

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/idemgen/idemgen/internal/diag"
)

// ruleForeign is for a file in the way that no generator wrote.
const ruleForeign = "output/not-generated"

var generatedLine = regexp.MustCompile(`(?m)^(//|--|#) Code generated .* DO NOT EDIT\.$`)

// Result tells what Write did, in sorted paths.
type Result struct{ Written, Unchanged []string }

// Check finds files that would be overwritten although they weren't generated.
func Check(dir string, files map[string][]byte, display func(string) string) (*diag.Set, error) {
	diags := &diag.Set{}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		old, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case !generatedLine.Match(old) && !bytes.Equal(old, files[path]):
			diags.Addf(diag.Pos{File: display(path)}, 0, ruleForeign,
				"this file would be overwritten, but it wasn't generated; move it, or choose another folder in the configuration")
		}
	}
	return diags, nil
}

// Write puts the files below dir. Each is written beside its place first, and
// they are moved to their places when all of them are on the disk; a file that
// has the right content already isn't touched.
func Write(dir string, files map[string][]byte) (result Result, err error) {
	staged := map[string]string{} // target by temporary file
	defer func() {
		for temporary := range staged {
			_ = os.Remove(temporary)
		}
	}()
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if !filepath.IsLocal(filepath.FromSlash(path)) {
			return Result{}, fmt.Errorf("%s is outside of the configuration's folder", path)
		}
		target := filepath.Join(dir, filepath.FromSlash(path))
		if old, err := os.ReadFile(target); err == nil && bytes.Equal(old, files[path]) {
			result.Unchanged = append(result.Unchanged, path)
			continue
		}
		temporary, err := stage(target, files[path])
		if err != nil {
			return Result{}, err
		}
		staged[temporary] = target
		result.Written = append(result.Written, path)
	}
	for temporary, target := range staged {
		if err := os.Rename(temporary, target); err != nil {
			return Result{}, err
		}
		delete(staged, temporary)
	}
	return result, nil
}

func stage(target string, content []byte) (temporary string, err error) {
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(target), ".idemgen-*")
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	return f.Name(), err
}
