package generate

import (
	"maps"
	"path"
	"slices"

	"github.com/idemgen/idemgen/internal/lock"
	"github.com/idemgen/idemgen/internal/output"
)

// record writes down what the next run needs to know.
func (r *run) record() {
	made := r.made
	l := &lock.Lock{
		Version: lock.Version,
		Record:  r.database.Record,
		SQLC:    r.sqlcFolders,
	}
	recordOperations(l, made.Spec)
	for _, op := range made.Service.Operations {
		l.Methods = append(l.Methods, op.GoName)
	}
	slices.Sort(l.Methods)
	l.Tables = r.database.Tables
	made.New = l
}

// Output is what the disk should hold.
func (g *Generated) Output() output.Set {
	g.New.Files = lock.Manifest(g.Files)
	set := output.Set{
		Dir:           g.Config.Dir,
		Files:         g.Files,
		Migrations:    g.Migrations,
		MigrationsDir: g.Config.DB.Migrations,
		LockName:      lock.NameFor(g.Config.File),
		Old:           g.Old,
		New:           g.New,
	}
	if g.Old != nil && !g.Config.SQLC.Run {
		set.Released = g.Old.SQLC
	}
	return set
}

// folders are those that hold files.
func folders(files map[string][]byte) []string {
	set := map[string]bool{}
	for name := range files {
		set[path.Dir(name)] = true
	}
	return slices.Sorted(maps.Keys(set))
}
