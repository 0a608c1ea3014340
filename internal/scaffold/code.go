package scaffold

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/config"
)

// code writes the Go of the service, and what surrounds it, over what was
// generated.
func (s *service) code(generated map[string][]byte) (map[string][]byte, error) {
	files := map[string][]byte{}
	helpers, err := s.handlers(generated, files)
	if err != nil {
		return nil, err
	}
	auth := newAuthentication(s.api.document, s.api.operations)
	cases := s.cases()
	data := map[string]any{
		"Module": s.Module, "Package": s.Package, "Name": s.Service, "Service": s.Service, "Database": s.Database,
		"Spec": s.source.name, "Overlay": s.overlay, "Tables": len(s.derived.Tables) > 0,
		"Auth": auth, "Public": s.public(), "Cases": cases, "Records": config.DefaultTable,
		"Unauthorized": s.unauthorized(auth), "Curl": s.curl(cases, auth),
		"Creates": s.has(create), "Gets": s.has(get), "Lists": s.has(list), "Todos": s.has(todo),
	}
	templates := map[string]string{
		".gitignore":                    "gitignore.tmpl",
		"Makefile":                      "Makefile.tmpl",
		"README.md":                     "README.md.tmpl",
		"cmd/" + s.Service + "/main.go": "main.go.tmpl",
		"compose.yaml":                  "compose.yaml.tmpl",
		"db/migrations/migrations.go":   "migrations.go.tmpl",
		"generate.go":                   "generate.go.tmpl",
		"internal/app/app.go":           "app.go.tmpl",
		"internal/app/app_test.go":      "app_test.go.tmpl",
		"internal/app/config.go":        "config.go.tmpl",
		"internal/app/handler.go":       "handler.go.tmpl",
		"internal/app/serve.go":         "serve.go.tmpl",
		"internal/app/server_test.go":   "server_test.go.tmpl",
		"internal/service/service.go":   "service.go.tmpl",
	}
	if auth != nil {
		templates["internal/auth/keys.go"] = "auth.go.tmpl"
		s.notes = append(s.notes, "internal/auth knows callers by the API keys in API_KEYS: replace it with real authentication")
		if len(s.derived.Tables) > 0 {
			s.notes = append(s.notes, "the tables don't say whose rows they are: every caller that is let in reads all of them")
		}
	}
	imports := goImports(s.Module)
	for name, tmpl := range templates {
		var err error
		if strings.HasSuffix(name, ".go") {
			files[name], err = executeGo(tmpl, data, imports)
		} else {
			files[name], err = execute(tmpl, data)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(helpers) > 0 {
		if files["internal/service/convert.go"], err = executeGo("convert.go.tmpl", helpers, imports); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// handlers writes the handlers, by resource, and returns the helpers that they
// call.
func (s *service) handlers(generated, files map[string][]byte) (map[string]bool, error) {
	db := map[string][]byte{}
	for name, content := range generated {
		if path.Dir(name) == "internal/db" {
			db[name] = content
		}
	}
	a := &author{api: s.api.pkg, converters: map[string]*rowConverter{}, reads: s.reads()}
	a.universe, a.helpers = s.api.universe, map[string]bool{}
	if len(db) > 0 {
		var err error
		if a.db, err = a.universe.Check(s.Module+"/internal/db", db); err != nil {
			return nil, err
		}
	}
	byFile := map[string][]*plan{}
	for _, p := range s.plans {
		byFile[p.file] = append(byFile[p.file], p)
	}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		if err := s.resource(a, file, byFile[file], files); err != nil {
			return nil, err
		}
	}
	return a.helpers, nil
}

func (s *service) resource(a *author, file string, list []*plan, files map[string][]byte) (err error) {
	a.imports, a.made = map[string]string{}, nil
	var handlers []*handler
	for _, p := range list {
		handlers = append(handlers, a.handler(p))
	}
	imports := goImports(s.Module)
	for importPath, name := range a.imports {
		if imports[name] == "" {
			imports[name] = importPath
		}
	}
	data := map[string]any{"Handlers": handlers, "Converters": a.made}
	files["internal/service/"+file+".go"], err = executeGo("resource.go.tmpl", data, imports)
	return err
}

// reads are the gets of one row, by table.
func (s *service) reads() map[string]*plan {
	reads := map[string]*plan{}
	for _, p := range s.plans {
		if p.kind == get && reads[p.table.Name] == nil {
			reads[p.table.Name] = p
		}
	}
	return reads
}

func (s *service) has(k kind) bool {
	return slices.ContainsFunc(s.plans, func(p *plan) bool { return p.kind == k })
}

// public are the patterns of the routes that ask for no credentials.
func (s *service) public() []string {
	var patterns []string
	for _, op := range s.api.operations {
		if !op.Secured {
			patterns = append(patterns, op.Pattern)
		}
	}
	return patterns
}

// cases are the requests of the service's own tests.
func (s *service) cases() []*testCase {
	var cases []*testCase
	for _, p := range s.plans {
		if p.Source.Idempotent == nil {
			continue
		}
		c, why := newCase(p, s.derived, s.reads())
		if why != "" {
			s.notes = append(s.notes, p.GoName+" has no test of duplicates: "+why)
			continue
		}
		cases = append(cases, c)
	}
	return cases
}

// unauthorized is a request that must have credentials.
func (s *service) unauthorized(auth *authentication) testCase {
	for _, p := range s.plans {
		if auth != nil && p.Secured {
			c := testCase{Method: p.Method}
			c.target(p, nil)
			return c
		}
	}
	return testCase{}
}
