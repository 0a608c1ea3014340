package adopt

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/config"
	"github.com/idemgen/idemgen/internal/sqlc"
)

// newConfiguration decides what is in idemgen.yaml.
func (a *adoption) newConfiguration(file string) error {
	a.cfg = &config.Config{Dir: a.options.Dir, File: file}
	for _, decide := range []func() error{a.spec, a.migrationsAndQueries, a.api} {
		// All that the user has to decide is said at once.
		if err := decide(); err != nil {
			a.problems = append(a.problems, err)
		}
	}
	if err := errors.Join(a.problems...); err != nil {
		return err
	}
	return a.writeConfiguration()
}

// choose takes what the user says, or the only candidate; empty for none.
func (a *adoption) choose(said, flag, what string, candidates []string) (string, error) {
	if said != "" {
		return a.relative(said)
	}
	switch len(candidates) {
	case 0:
		return "", nil
	case 1:
		return candidates[0], nil
	}
	return "", fmt.Errorf("there are several %s: %s; choose one with %s", what, strings.Join(candidates, ", "), flag)
}

// relative is a path of the user from the module's folder.
func (a *adoption) relative(name string) (string, error) {
	dir, err := filepath.Abs(a.options.Dir)
	if err != nil {
		return "", err
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(dir, abs)
	return filepath.ToSlash(rel), err
}

func (a *adoption) spec() (err error) {
	candidates := a.seen.specs
	if named := a.seen.oapiSpec(); named != "" { // the one that the server is generated from
		candidates = []string{named}
	}
	a.cfg.Spec, err = a.choose(a.options.Spec, "--spec FILE", "OpenAPI 3 documents", candidates)
	if err == nil && a.cfg.Spec == "" {
		err = errors.New("there is no OpenAPI 3 document; name yours with --spec FILE")
	}
	return err
}

// migrationsAndQueries follows the service's own sqlc, whose schema are its
// migrations.
func (a *adoption) migrationsAndQueries() error {
	conf, err := a.choose(a.options.SQLC, "--sqlc FILE", "sqlc configurations", a.seen.sqlc)
	if err != nil {
		return err
	}
	schemas, queries, err := a.sqlcFolders(conf)
	if err != nil {
		return err
	}
	candidates := slices.DeleteFunc(slices.Clone(a.seen.goose), func(dir string) bool { return !slices.Contains(schemas, dir) })
	if len(candidates) == 0 {
		candidates = a.seen.goose
	}
	a.cfg.DB.Migrations, err = a.choose(a.options.Migrations, "--migrations DIR", "folders of goose migrations", candidates)
	if err != nil {
		return err
	}
	if a.cfg.DB.Migrations != "" {
		a.foundf("goose migrations in %s", a.cfg.DB.Migrations)
	} else {
		a.foundf("no goose migrations: the first one will be in db/migrations")
	}
	a.cfg.DB.Queries = queriesBeside(queries)
	return nil
}

// sqlcFolders are the folders of schemas, and the entries for queries.
func (a *adoption) sqlcFolders(conf string) (schemas, queries []string, err error) {
	if conf == "" {
		return nil, nil, nil
	}
	content, err := os.ReadFile(filepath.Join(a.options.Dir, filepath.FromSlash(conf)))
	if err != nil {
		return nil, nil, err
	}
	if schemas, queries, err = sqlc.Inputs(content); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", conf, err)
	}
	a.foundf("%s: schema %s, queries %s", conf, strings.Join(schemas, " "), strings.Join(queries, " "))
	for _, list := range [][]string{schemas, queries} {
		for i := range list {
			list[i] = path.Join(path.Dir(conf), list[i])
		}
	}
	for i, schema := range schemas {
		if path.Ext(schema) == ".sql" { // files, or a pattern of them
			schemas[i] = path.Dir(schema)
		}
	}
	return schemas, queries, nil
}

// defaultQueries is config's.
const defaultQueries = "db/queries"

// queriesBeside finds a folder for the records' queries that the service's own
// sqlc doesn't read, or they would be generated twice; empty for the default.
func queriesBeside(entries []string) string {
	for _, entry := range entries {
		if path.Ext(entry) != ".sql" { // a whole folder
			if beside := path.Join(path.Dir(entry), "idempotency"); beside != defaultQueries {
				return beside
			}
		} else if strings.ContainsAny(entry, "*?[") {
			return path.Join(path.Dir(path.Dir(entry)), "idempotency")
		}
	}
	for _, entry := range entries {
		if dir := path.Dir(entry); dir != defaultQueries {
			return dir
		}
	}
	return ""
}

// api finds the package whose server idemgen takes over, or else a folder
// without generated code.
func (a *adoption) api() (err error) {
	var folders, taken []string
	for _, c := range a.seen.oapi {
		if c.output == "" {
			continue
		}
		taken = append(taken, c.folder())
		if c.server == "std-http" && c.pkg != "main" && !slices.Contains(folders, c.folder()) {
			folders = append(folders, c.folder())
		}
	}
	a.cfg.API.Dir, err = a.choose(a.options.API, "--api DIR", "packages with a server of oapi-codegen", folders)
	if err != nil {
		return err
	}
	for _, c := range a.seen.oapi {
		if c.output == "" || c.folder() != a.cfg.API.Dir {
			continue
		}
		if c.pkg != path.Base(c.folder()) {
			a.cfg.API.Package = c.pkg
		}
		if c.options != nil && (c.server != "" || a.oapi == nil) { // models may have a configuration of their own
			a.oapi = c.options
		}
	}
	for _, dir := range []string{"api", "internal/api", "internal/idemapi"} {
		if a.cfg.API.Dir == "" && !slices.Contains(taken, dir) {
			a.cfg.API.Dir = dir
		}
	}
	return nil
}
