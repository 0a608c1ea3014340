package output

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"

	"github.com/idemgen/idemgen/internal/lock"
)

// Result tells what Apply did, in sorted paths. A kept file is one that was
// generated once, is no longer, and isn't ours to delete.
type Result struct {
	Written, Deleted []string
	Kept             []File
	Unchanged        int
}

// Apply makes the disk what the set wants, edited files included; without
// Foreign files there is nothing else that it overwrites. An error, or the end of
// the process, before everything is on the disk leaves the files as they were.
// After that, it leaves whole files, old and new, and a lock that knows both:
// the next Apply goes on from there, whatever it is that it writes.
func (p *Plan) Apply() (Result, error) {
	root, err := os.OpenRoot(p.set.Dir)
	if err != nil {
		return Result{}, err
	}
	defer func() { _ = root.Close() }()
	if err := sweep(root, p.folders()); err != nil {
		return Result{}, err
	}
	if !p.UpToDate() {
		if err := p.apply(root); err != nil {
			return Result{}, err
		}
	}
	return p.result(), nil
}

func (p *Plan) apply(root *os.Root) error {
	s := &stage{root: root}
	place, err := p.stage(s)
	if err != nil {
		s.undo()
		return fmt.Errorf("%w; nothing was written", err)
	}
	if err := place(); err != nil {
		s.undo()
		return fmt.Errorf("%w; run idemgen generate again when that is mended: it finishes what was begun", err)
	}
	return nil
}

// stage writes everything beside its place, where a full disk or a read-only
// folder is found out, and returns what moves it there.
func (p *Plan) stage(s *stage) (place func() error, err error) {
	var moves, once []move
	var final move
	for _, f := range p.Files {
		if f.New == nil || f.State == Unchanged {
			continue
		}
		m, err := s.write(f.Path, f.New)
		switch {
		case err != nil:
			return nil, err
		case f.Path == p.set.LockName:
			final = m
		case p.isMigration(f.Path):
			once = append(once, m)
		default:
			moves = append(moves, m)
		}
	}
	slices.SortFunc(once, func(a, b move) int { return p.migrationIndex(a.target) - p.migrationIndex(b.target) })
	stale := p.paths(Stale)
	if final.target == "" { // what the lock says of the files is true all along
		return func() error { return errors.Join(s.create(once), s.move(moves...)) }, nil
	}
	if len(moves)+len(once)+len(stale) == 0 {
		return func() error { return s.move(final) }, nil
	}
	content, err := p.journal().Encode()
	if err != nil {
		return nil, err
	}
	journal, err := s.write(p.set.LockName, content)
	if err != nil {
		return nil, err
	}
	return func() error {
		if err := s.move(journal); err != nil {
			return err
		}
		if err := s.create(once); err != nil {
			return err
		}
		if err := s.move(moves...); err != nil {
			return err
		}
		if err := s.remove(stale); err != nil {
			return err
		}
		s.prune(p.forgotten())
		return s.move(final)
	}, nil
}

// journal is the old lock with what is begun: for each file what it may be, and
// for each migration what is true once it is there.
func (p *Plan) journal() *lock.Lock {
	journal := lock.Lock{Version: lock.Version}
	if p.set.Old != nil {
		journal = *p.set.Old
	}
	pending := &lock.Pending{Files: map[string][]string{}}
	for _, f := range p.Files {
		if f.Path == p.set.LockName || f.State == Kept || p.isMigration(f.Path) {
			continue
		}
		var hashes []string
		for _, content := range [][]byte{f.Old, f.New} {
			if content != nil {
				hashes = append(hashes, lock.Hash(content))
			}
		}
		hashes = slices.Compact(hashes)
		if len(hashes) > 1 || journal.Files[f.Path] != hashes[0] {
			pending.Files[f.Path] = hashes
		}
	}
	for _, m := range p.set.Migrations {
		pending.Migrations = append(pending.Migrations, lock.Migration{Path: m.Path, Database: m.After})
	}
	journal.Pending = pending
	return &journal
}

func (p *Plan) isMigration(name string) bool { return p.migrationIndex(name) >= 0 }

func (p *Plan) migrationIndex(name string) int {
	return slices.IndexFunc(p.set.Migrations, func(m Migration) bool { return m.Path == name })
}

func (p *Plan) paths(state State) []string {
	var paths []string
	for _, f := range p.Files {
		if f.State == state {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// folders are those in which this run, or one that was killed, stages files.
func (p *Plan) folders() []string {
	set := map[string]bool{".": true, p.set.MigrationsDir: true}
	for _, f := range p.Files {
		set[path.Dir(f.Path)] = true
	}
	for _, name := range p.forgotten() {
		set[path.Dir(name)] = true
	}
	return slices.Sorted(maps.Keys(set))
}

func (p *Plan) result() Result {
	var r Result
	for _, f := range p.Files {
		switch f.State {
		case Unchanged:
			r.Unchanged++
		case Kept:
			r.Kept = append(r.Kept, f)
		case Stale:
			r.Deleted = append(r.Deleted, f.Path)
		default:
			r.Written = append(r.Written, f.Path)
		}
	}
	return r
}
