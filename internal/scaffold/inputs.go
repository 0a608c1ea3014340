package scaffold

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/idemgen/idemgen/internal/gomod"
	"github.com/idemgen/idemgen/internal/lock"
	"github.com/idemgen/idemgen/internal/tables"
)

// goVersion is what the service's code needs.
const goVersion = "1.26.0"

// requirement is a module in go.mod.
type requirement struct{ Path, Version string }

// replacement is a folder in its place.
type replacement struct{ Path, Dir string }

// requirements are the modules that the service imports; go mod tidy adds those
// that they need, and drops what isn't imported.
var libraries = []requirement{
	{"github.com/google/uuid", "v1.6.0"},
	{"github.com/jackc/pgx/v5", "v5.12.0"},
	{"github.com/oapi-codegen/runtime", "v1.8.0"},
	{"github.com/pressly/goose/v3", "v3.28.0"},
}

// inputs writes what generate reads.
func (s *service) inputs() (err error) {
	migrations := map[string][]byte{}
	if len(s.derived.Tables) > 0 {
		migrations["db/migrations/00001_tables.sql"] = tables.Create(s.derived.Tables)
	}
	sql := queries(s.plans)
	maps.Copy(s.files, migrations)
	maps.Copy(s.files, sql)

	replaces, toolReplaces := s.replacements()
	data := map[string]any{
		"Module":       s.Module,
		"Package":      s.Package,
		"Name":         s.Service,
		"GoVersion":    goVersion,
		"Requires":     s.requires(),
		"Replaces":     replaces,
		"Tool":         gomod.ToolPackage,
		"ToolRequires": []requirement{{gomod.Root, s.tool.Version}},
		"ToolReplaces": toolReplaces,
		"Spec":         s.source.name,
		"Overlay":      s.overlay,
		"OAPI":         strings.TrimSuffix(indented(s.api.options), "\n"),
		"Tables":       len(s.derived.Tables) > 0,
		"QueryFiles":   slices.Sorted(maps.Keys(sql)),
	}
	files := map[string]string{"go.mod": "go.mod.tmpl", "tools.mod": "tools.mod.tmpl", "idemgen.yaml": "idemgen.yaml.tmpl"}
	if len(s.derived.Tables) > 0 {
		files["sqlc.yaml"] = "sqlc.yaml.tmpl"
		// The lock remembers the tables, for generate to migrate them later.
		l := lock.Lock{Version: lock.Version, Tables: s.derived.Tables}
		if s.files[lock.Name], err = l.Encode(); err != nil {
			return err
		}
	}
	for name, tmpl := range files {
		if s.files[name], err = execute(tmpl, data); err != nil {
			return err
		}
	}
	return nil
}

func (s *service) requires() []requirement {
	list := append([]requirement{{gomod.Runtime, s.tool.Version}, {gomod.PGTest, s.tool.Version}}, libraries...)
	slices.SortFunc(list, func(a, b requirement) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// replacements are those of a checkout: each go.mod needs its own, since those of
// dependencies don't count.
func (s *service) replacements() (service, tool []replacement) {
	if s.tool.Dir == "" {
		return nil, nil
	}
	service = []replacement{{gomod.PGTest, s.tool.Dir + "/pgtest"}, {gomod.Runtime, s.tool.Dir + "/runtime"}}
	for i := range service {
		service[i].Dir = modfile.AutoQuote(service[i].Dir)
	}
	return service, append([]replacement{{gomod.Root, modfile.AutoQuote(s.tool.Dir)}}, service...)
}
