package life

import (
	"crypto/sha256"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/lock"
)

// edit replaces text that is in a file exactly once. Without an old text the file
// is new, and without a new one either it is removed.
type edit struct{ file, old, new string }

func (w *walk) edit(list []edit) {
	w.t.Helper()
	for _, e := range list {
		name := filepath.Join(w.dir, filepath.FromSlash(e.file))
		switch {
		case e.old == "" && e.new == "":
			w.check(os.Remove(name))
			continue
		case e.old == "":
			w.check(os.WriteFile(name, []byte(e.new), 0o600))
			continue
		}
		content, err := os.ReadFile(name)
		w.check(err)
		if n := strings.Count(string(content), e.old); n != 1 {
			w.t.Fatalf("%s has this %d times:\n%s\nin\n%s", e.file, n, e.old, content)
		}
		w.check(os.WriteFile(name, []byte(strings.Replace(string(content), e.old, e.new, 1)), 0o600))
	}
}

// inverse takes edits back.
func inverse(list []edit) []edit {
	back := slices.Clone(list)
	for i := range back {
		back[i].old, back[i].new = back[i].new, back[i].old
	}
	slices.Reverse(back)
	return back
}

// tree is the hash of each file of the service.
type tree map[string][sha256.Size]byte

func (w *walk) tree() tree {
	w.t.Helper()
	files := tree{}
	w.check(fs.WalkDir(os.DirFS(w.dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(name)))
		files[name] = sha256.Sum256(content)
		return err
	}))
	return files
}

// onlyGenerated compares two trees: generate may change and delete what its lock
// listed, and add what its lock lists now, and migrations. These are returned.
func (w *walk) onlyGenerated(before, after tree, was, is *lock.Lock) (migrations []string) {
	w.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(before)) {
		_, generated := was.Files[name]
		if now, kept := after[name]; !generated && name != lockName && (!kept || now != before[name]) {
			w.t.Errorf("generate touched %s, which isn't its own", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		_, old := before[name]
		_, generated := is.Files[name]
		switch {
		case old || generated:
		case filepath.Dir(name) == migrationsDir:
			migrations = append(migrations, name)
		default:
			w.t.Errorf("generate made %s, which its lock doesn't list", name)
		}
	}
	return migrations
}

func (w *walk) lock() *lock.Lock {
	w.t.Helper()
	l, diags, err := lock.Read(filepath.Join(w.dir, lockName), lockName)
	w.check(err)
	if !diags.Empty() || l == nil {
		w.t.Fatalf("the lock can't be read: %v", diags)
	}
	return l
}
