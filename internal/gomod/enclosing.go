package gomod

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"
)

// Enclosing returns the folder of the go.mod in dir or above it, as an absolute path,
// and the module's path. The folder is empty when there is no go.mod.
func Enclosing(dir string) (root, modulePath string, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", "", err
	}
	for root = dir; ; root = filepath.Dir(root) {
		content, err := os.ReadFile(filepath.Join(root, "go.mod"))
		switch {
		case err == nil:
			return root, modfile.ModulePath(content), nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", "", err
		case root == filepath.Dir(root):
			return "", "", nil
		}
	}
}
