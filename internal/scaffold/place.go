package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// stage is the folder in which a service is made before it is moved to its
// place: beside a place that is new, so that one rename does it, and inside one
// that is there already.
type stage struct {
	dir    string // of the stage
	target string
	inside bool
	made   []string // folders above the target that weren't there, the lowest first
}

// newStage makes a stage for the service at target, which must be new or empty.
func newStage(target string) (*stage, error) {
	entries, err := os.ReadDir(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s := &stage{target: target}
		parent := filepath.Dir(filepath.Clean(target))
		for dir := parent; !exists(dir); dir = filepath.Dir(dir) {
			s.made = append(s.made, dir)
		}
		err := os.MkdirAll(parent, 0o755)
		if err == nil {
			s.dir, err = os.MkdirTemp(parent, ".idemgen-new-*")
		}
		if err != nil {
			s.discard()
		}
		return s, err
	case err != nil:
		return nil, err
	case len(entries) > 0:
		return nil, fmt.Errorf("%s isn't empty: it has %s; name a folder that is new, or use idemgen init for a module that exists", target, entries[0].Name())
	}
	dir, err := os.MkdirTemp(target, ".idemgen-new-*")
	return &stage{dir: dir, target: target, inside: true}, err
}

// path is that of a file of the service, given with slashes.
func (s *stage) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// place is a folder whose distance to others is that of the service.
func (s *stage) place() string {
	if s.inside {
		return s.target
	}
	return s.dir
}

// files lists what the stage holds, sorted, with slashes.
func (s *stage) files() (list []string, err error) {
	err = fs.WalkDir(os.DirFS(s.dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			list = append(list, name)
		}
		return err
	})
	return list, err
}

// write adds files to the stage. Names that lead out of it are a bug.
func (s *stage) write(files map[string][]byte) error {
	for name, content := range files {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("the path %q leads out of the service", name)
		}
		if err := os.MkdirAll(filepath.Dir(s.path(name)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(s.path(name), content, 0o644); err != nil { //nolint:gosec // source code is for all to read
			return err
		}
	}
	return nil
}

// move brings the stage to its place.
func (s *stage) move() error {
	if !s.inside {
		if err := os.Chmod(s.dir, 0o755); err != nil { //nolint:gosec // as any folder of source code
			return err
		}
		return os.Rename(s.dir, s.target)
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for i, entry := range entries {
		if err := os.Rename(filepath.Join(s.dir, entry.Name()), filepath.Join(s.target, entry.Name())); err != nil {
			for _, moved := range entries[:i] {
				err = errors.Join(err, os.RemoveAll(filepath.Join(s.target, moved.Name())))
			}
			return err
		}
	}
	return os.Remove(s.dir)
}

// discard removes what is left of the stage, and the folders made for it that are
// empty: all of it unless the stage was moved.
func (s *stage) discard() {
	if s.dir != "" {
		_ = os.RemoveAll(s.dir)
	}
	for _, dir := range s.made {
		_ = os.Remove(dir)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
