package sqlc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/idemgen/idemgen/internal/diag"
)

// rulePath is for what the service's own configuration may not name.
const rulePath = "sqlc/path"

// settings is what we need to know of the service's own sqlc.yaml, whose
// version is 1 (packages) or 2 (sql).
type settings struct {
	SQL []struct {
		Schema  stringOrList `yaml:"schema"`
		Queries stringOrList `yaml:"queries"`
		Gen     map[string]struct {
			Out string `yaml:"out"`
		} `yaml:"gen"`
		Codegen []struct {
			Out string `yaml:"out"`
		} `yaml:"codegen"`
	} `yaml:"sql"`
	Packages []struct {
		Schema  stringOrList `yaml:"schema"`
		Queries stringOrList `yaml:"queries"`
		Path    string       `yaml:"path"`
	} `yaml:"packages"`
}

func (s *settings) inputs() (schemas, queries []string) {
	for _, e := range s.SQL {
		schemas, queries = append(schemas, e.Schema...), append(queries, e.Queries...)
	}
	for _, e := range s.Packages {
		schemas, queries = append(schemas, e.Schema...), append(queries, e.Queries...)
	}
	return schemas, queries
}

func (s *settings) outputs() (paths []string) {
	for _, e := range s.SQL {
		for _, gen := range e.Gen {
			paths = append(paths, gen.Out)
		}
		for _, gen := range e.Codegen {
			paths = append(paths, gen.Out)
		}
	}
	for _, e := range s.Packages {
		paths = append(paths, e.Path)
	}
	return paths
}

// Inputs are the schemas and the queries that a service's own configuration
// names: files, folders and patterns, relative to its folder.
func Inputs(config []byte) (schemas, queries []string, err error) {
	var s settings
	if err := yaml.Unmarshal(config, &s); err != nil {
		return nil, nil, err
	}
	schemas, queries = s.inputs()
	return schemas, queries, nil
}

type stringOrList []string

func (l *stringOrList) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*l = stringOrList{n.Value}
		return nil
	}
	return n.Decode((*[]string)(l))
}

// ServiceFiles collects what the service's own sqlc configuration reads: the
// configuration, at config below dir, and its schemas and queries. Paths must
// stay inside the configuration's folder. Names are relative to dir.
func ServiceFiles(dir, config string, display func(string) string) (map[string][]byte, *diag.Set, error) {
	diags := &diag.Set{}
	pos := diag.Pos{File: display(config)}
	content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(config)))
	if errors.Is(err, fs.ErrNotExist) {
		diags.Addf(pos, 0, rulePath, "there is no such file; create it, or remove sqlc from the configuration")
		return nil, diags, nil
	}
	if err != nil {
		return nil, nil, err
	}
	var s settings
	if err := yaml.Unmarshal(content, &s); err != nil {
		diags.Addf(pos, 0, "sqlc/config", "%s", strings.TrimPrefix(err.Error(), "yaml: "))
		return nil, diags, nil
	}
	files := map[string][]byte{config: content}
	base := path.Dir(config)
	for _, out := range s.outputs() {
		if !filepath.IsLocal(filepath.FromSlash(out)) && out != "" {
			diags.Addf(pos, 0, rulePath, "the output folder %q is outside of the configuration's folder; move the configuration up", out)
		}
	}
	schemas, queries := s.inputs()
	for _, in := range slices.Concat(schemas, queries) {
		if !filepath.IsLocal(filepath.FromSlash(in)) {
			diags.Addf(pos, 0, rulePath, "%q is outside of the configuration's folder; move the configuration up", in)
			continue
		}
		if err := collect(files, dir, path.Join(base, in)); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", display(config), err)
		}
	}
	return files, diags, nil
}

// collect reads the SQL files that a schema or queries entry names: a file, a
// folder, or a pattern. One that doesn't exist is left for sqlc to report.
func collect(files map[string][]byte, dir, name string) error {
	matches := []string{filepath.Join(dir, filepath.FromSlash(name))}
	if strings.ContainsAny(name, "*?[]") {
		var err error
		if matches, err = filepath.Glob(matches[0]); err != nil {
			return err
		}
	}
	for _, match := range matches {
		info, err := os.Stat(match)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		paths := []string{match}
		if info.IsDir() {
			if paths, err = filepath.Glob(filepath.Join(match, "*.sql")); err != nil {
				return err
			}
		}
		for _, p := range paths {
			rel, err := filepath.Rel(dir, p)
			if err != nil {
				return err
			}
			if files[filepath.ToSlash(rel)], err = os.ReadFile(p); err != nil {
				return err
			}
		}
	}
	return nil
}
