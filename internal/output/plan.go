// Package output brings generated files to the disk: all of them or none, only
// those that changed, and nothing that somebody else wrote.
package output

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/lock"
)

// Set is all that a run wants on the disk.
type Set struct {
	// Dir is the folder that all paths are relative to, with slashes. Nothing
	// outside of it is written or deleted.
	Dir string
	// Files are rewritten when they change.
	Files map[string][]byte
	// Migrations are new. They are written once, in this order, and never
	// touched again.
	Migrations []Migration
	// MigrationsDir is their folder: no .sql file of it is overwritten or deleted.
	MigrationsDir string
	// Released are folders in which nothing is deleted: another tool writes
	// there now.
	Released []string
	// LockName is the lock's file. Old is nil if there is none. New is what it
	// will be.
	LockName string
	Old, New *lock.Lock
}

// Migration is one that is written once. After is what the database has with it:
// if the run is interrupted, the next one knows it by the migration being there.
type Migration struct {
	Path    string
	Content []byte
	After   lock.Database
}

// State is how a file on the disk relates to what is generated.
type State int

// The states.
const (
	Unchanged State = iota
	Missing
	Changed
	Edited  // differs from what idemgen wrote and from what it would write
	Foreign // in the way, and no generator wrote it
	Stale   // generated once and no longer, to be deleted
	Kept    // the same, but not ours to delete
)

// String is the state in the list of a check.
func (s State) String() string {
	return [...]string{"unchanged", "missing", "changed", "edited", "foreign", "stale", "kept"}[s]
}

// File is one file of a plan.
type File struct {
	Path  string
	State State
	// Old is what is there, New what will be; nil for no file.
	Old, New []byte
	// Reason says why a stale file is kept.
	Reason string
}

// Plan is what stands between the disk and a Set.
type Plan struct {
	set Set
	// Files are sorted by path. The lock is one of them.
	Files []File
}

// generatedLine is in every generated file whose format has comments.
var generatedLine = regexp.MustCompile(`(?m)^(//|--|#) Code generated .* DO NOT EDIT\.\r?$`)

// NewPlan compares the disk with set. It writes nothing.
func NewPlan(set Set) (*Plan, error) {
	root, err := os.OpenRoot(set.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	p := &Plan{set: set}
	for _, name := range slices.Sorted(maps.Keys(set.Files)) {
		if err := p.generated(root, name); err != nil {
			return nil, err
		}
	}
	for _, m := range set.Migrations {
		if _, err := root.Lstat(m.Path); !errors.Is(err, fs.ErrNotExist) {
			return nil, cmp.Or(err, fmt.Errorf("%s has come to be since its name was chosen; run idemgen generate again", m.Path))
		}
		p.Files = append(p.Files, File{Path: m.Path, State: Missing, New: m.Content})
	}
	for _, name := range p.forgotten() {
		p.leftOver(root, name)
	}
	if err := p.lock(root); err != nil {
		return nil, err
	}
	slices.SortFunc(p.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return p, nil
}

// generated compares one file that is generated.
func (p *Plan) generated(root *os.Root, name string) error {
	f := File{Path: name, New: p.set.Files[name]}
	old, err := readRegular(root, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.State = Missing
	case errors.Is(err, errNotRegular):
		f.State = Foreign
	case err != nil:
		return err
	case lock.Hash(old) == lock.Hash(f.New):
		f.State, f.Old = Unchanged, old
	case p.set.Old.Wrote(name, old):
		f.State, f.Old = Changed, old
	case p.set.Old.Knows(name):
		f.State, f.Old = Edited, old
	case generatedLine.Match(old): // by a tool that idemgen takes the place of
		f.State, f.Old = Changed, old
	default:
		f.State, f.Old = Foreign, old
	}
	p.Files = append(p.Files, f)
	return nil
}

// forgotten are the files of the old lock that aren't generated any more.
func (p *Plan) forgotten() []string {
	old := p.set.Old
	if old == nil {
		return nil
	}
	names := slices.Collect(maps.Keys(old.Files))
	if old.Pending != nil {
		names = slices.AppendSeq(names, maps.Keys(old.Pending.Files))
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		_, generated := p.set.Files[name]
		return generated || name == p.set.LockName ||
			slices.ContainsFunc(p.set.Migrations, func(m Migration) bool { return m.Path == name })
	})
}

// leftOver decides about one of them. What can't be read, such as a path that a
// symbolic link leads out of the folder, is as good as gone.
func (p *Plan) leftOver(root *os.Root, name string) {
	old, err := readRegular(root, name)
	if err != nil || p.sameAsGenerated(root, name) {
		return
	}
	f := File{Path: name, State: Kept, Old: old}
	switch {
	case path.Dir(name) == p.set.MigrationsDir && path.Ext(name) == ".sql":
		f.Reason = "a migration is never deleted"
	case slices.Contains(p.set.Released, path.Dir(name)):
		f.Reason = "the service's own sqlc may still write it"
	case !p.set.Old.Wrote(name, old):
		f.Reason = "it was edited since idemgen wrote it"
	case !generatedLine.Match(old):
		f.Reason = "no line of it says that it was generated"
	default:
		f.State = Stale
	}
	p.Files = append(p.Files, f)
}

// sameAsGenerated finds a file whose name changed in case only, where the file
// system doesn't tell the two apart.
func (p *Plan) sameAsGenerated(root *os.Root, name string) bool {
	for other := range p.set.Files {
		if strings.EqualFold(name, other) {
			a, err := root.Lstat(name)
			b, otherErr := root.Lstat(other)
			return err == nil && otherErr == nil && os.SameFile(a, b)
		}
	}
	return false
}

func (p *Plan) lock(root *os.Root) error {
	content, err := p.set.New.Encode()
	if err != nil {
		return err
	}
	f := File{Path: p.set.LockName, State: Changed, New: content}
	f.Old, err = readRegular(root, f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.State = Missing
	case err != nil:
		return err
	case bytes.Equal(lock.Text(f.Old), content):
		f.State = Unchanged
	}
	p.Files = append(p.Files, f)
	return nil
}

var errNotRegular = errors.New("not a regular file")

// readRegular reads a file, or a symbolic link to one, inside of root.
func readRegular(root *os.Root, name string) ([]byte, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is %w", filepath.FromSlash(name), errNotRegular)
	}
	return root.ReadFile(name)
}

// UpToDate reports whether Apply has nothing to write or delete.
func (p *Plan) UpToDate() bool {
	return !slices.ContainsFunc(p.Files, func(f File) bool { return f.State != Unchanged && f.State != Kept })
}
