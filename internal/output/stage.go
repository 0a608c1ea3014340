package output

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
)

// beforeStep, set by tests only, is called before each step that changes the
// disk: there a process is killed.
var beforeStep func(step string)

func step(name, path string) {
	if beforeStep != nil {
		beforeStep(name + " " + path)
	}
}

// temporaryName is that of a staged file. Neither Go, goose nor sqlc reads such.
var temporaryName = regexp.MustCompile(`^\.idemgen-[A-Z2-7]{26,}\.tmp$`)

// move is a staged file, and its place.
type move struct{ temporary, target string }

// stage holds the files that are written beside their places.
type stage struct {
	root    *os.Root
	staged  []string
	folders []string // made for them, outermost first
}

// write stages content for target.
func (s *stage) write(target string, content []byte) (move, error) {
	dir := path.Dir(target)
	if err := s.mkdir(dir); err != nil {
		return move{}, writing(target, err)
	}
	m := move{path.Join(dir, ".idemgen-"+rand.Text()+".tmp"), target}
	step("create", target)
	f, err := s.root.OpenFile(m.temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return move{}, writing(target, err)
	}
	s.staged = append(s.staged, m.temporary)
	step("write", target)
	_, err = f.Write(content)
	step("sync", target)
	if err := cmp.Or(err, f.Sync(), f.Close()); err != nil {
		_ = f.Close()
		return move{}, writing(target, err)
	}
	return m, nil
}

// writing names the file that was meant instead of the staged one.
func writing(target string, err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	return fmt.Errorf("write %s: %w", target, err)
}

// mkdir makes a folder and those above it, and notes which it has made.
func (s *stage) mkdir(dir string) error {
	if dir == "." {
		return nil
	}
	if _, err := s.root.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.mkdir(path.Dir(dir)); err != nil {
		return err
	}
	step("mkdir", dir)
	if err := s.root.Mkdir(dir, 0o755); err != nil {
		return err
	}
	s.folders = append(s.folders, dir)
	return nil
}

// undo removes what was staged and not moved, and the folders that stayed empty.
func (s *stage) undo() {
	for _, name := range s.staged {
		_ = s.root.Remove(name)
	}
	for _, dir := range slices.Backward(s.folders) {
		_ = s.root.Remove(dir)
	}
}

// move puts staged files in their places, over what is there.
func (s *stage) move(moves ...move) error {
	for _, m := range moves {
		step("rename", m.target)
		if err := s.root.Rename(m.temporary, m.target); err != nil {
			return err
		}
		s.staged = slices.DeleteFunc(s.staged, func(name string) bool { return name == m.temporary })
	}
	s.sync(moves)
	return nil
}

// create is move where nothing may be overwritten.
func (s *stage) create(moves []move) error {
	for _, m := range moves {
		if _, err := s.root.Lstat(m.target); err == nil {
			return fmt.Errorf("%s has come to be meanwhile", m.target)
		}
		if err := s.move(m); err != nil {
			return err
		}
	}
	return nil
}

// sync makes the moves last through a power cut, in the order that they have
// between two calls. Where a folder can't be synced, only that is lost.
func (s *stage) sync(moves []move) {
	var synced []string
	for _, m := range moves {
		dir := path.Dir(m.target)
		if slices.Contains(synced, dir) {
			continue
		}
		synced = append(synced, dir)
		if f, err := s.root.Open(dir); err == nil {
			_ = f.Sync()
			_ = f.Close()
		}
	}
}

func (s *stage) remove(names []string) error {
	for _, name := range names {
		step("remove", name)
		if err := s.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// prune removes the folders of files that are gone, if nothing else is in them.
func (s *stage) prune(names []string) {
	for _, name := range names {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if info, err := s.root.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
				continue
			} else if err != nil || !info.IsDir() {
				break
			}
			step("rmdir", dir)
			if s.root.Remove(dir) != nil { // not empty
				break
			}
		}
	}
}

// sweep removes the staged files of a run that was killed.
func sweep(root *os.Root, folders []string) error {
	for _, dir := range folders {
		entries, err := fs.ReadDir(root.FS(), dir)
		if err != nil { // there is no such folder, or none of ours
			continue
		}
		for _, e := range entries {
			if !e.Type().IsRegular() || !temporaryName.MatchString(e.Name()) {
				continue
			}
			name := path.Join(dir, e.Name())
			step("sweep", name)
			if err := root.Remove(name); err != nil {
				return fmt.Errorf("remove what an interrupted run has left: %w", err)
			}
		}
	}
	return nil
}
