package scaffold

import (
	"maps"
	"slices"
	"strings"

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
func (s *service) inputs() error {
	migrations := map[string][]byte{}
	if len(s.derived.Tables) > 0 {
		migrations["db/migrations/00001_tables.sql"] = tables.Create(s.derived.Tables)
	}
	sql := queries(s.plans)
	maps.Copy(s.files, migrations)
	maps.Copy(s.files, sql)

	replaces, toolReplaces, err := s.replacements()
	if err != nil {
		return err
	}
	data := map[string]any{
		"Module":       s.Module,
		"Package":      s.Package,
		"Name":         s.Service,
		"GoVersion":    goVersion,
		"Requires":     s.requires(),
		"Replaces":     replaces,
		"Tool":         toolPackage,
		"ToolRequires": []requirement{{toolModule, s.tool.Version}},
		"ToolReplaces": toolReplaces,
		"Spec":         s.source.name,
		"Overlay":      "",
		"OAPI":         s.api.options,
		"Tables":       len(s.derived.Tables) > 0,
		"QueryFiles":   slices.Sorted(maps.Keys(sql)),
	}
	files := map[string]string{"go.mod": "go.mod.tmpl", "tools.mod": "tools.mod.tmpl", "idemgen.yaml": "idemgen.yaml.tmpl"}
	if len(s.derived.Tables) > 0 {
		files["sqlc.yaml"] = "sqlc.yaml.tmpl"
	}
	for name, tmpl := range files {
		if s.files[name], err = execute(tmpl, data); err != nil {
			return err
		}
	}
	return nil
}

func (s *service) requires() []requirement {
	list := append([]requirement{{runtimeModule, s.tool.Version}, {pgtestModule, s.tool.Version}}, libraries...)
	slices.SortFunc(list, func(a, b requirement) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// replacements are those of a local idemgen: each go.mod needs its own, since
// those of dependencies don't count.
func (s *service) replacements() (service, tool []replacement, err error) {
	if s.tool.Dir == "" {
		return nil, nil, nil
	}
	dir, err := s.tool.pathFrom(s.stage.target)
	if err != nil {
		return nil, nil, err
	}
	service = []replacement{{pgtestModule, dir + "/pgtest"}, {runtimeModule, dir + "/runtime"}}
	return service, append([]replacement{{toolModule, dir}}, service...), nil
}
