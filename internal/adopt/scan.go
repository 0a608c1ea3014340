package adopt

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// maxFile bounds the files that are looked into; documents of 8 MiB exist.
const maxFile = 8 << 20

// found is what a walk through the module has seen. Paths are relative to it,
// with slashes, and sorted.
type found struct {
	specs   []string // OpenAPI 3 documents
	sqlc    []string // configurations of sqlc
	goose   []string // folders with goose migrations
	oapi    []oapiConfig
	runs    []goGenerate
	rootPkg string // the package in the module's folder, empty for none
}

// goGenerate is a go:generate line.
type goGenerate struct {
	file    string
	line    int
	command string
}

var (
	openAPI   = regexp.MustCompile(`(?m)^\s*\{?\s*"?openapi"?\s*:\s*["']?3\.`)
	gooseUp   = regexp.MustCompile(`(?im)^--\s*\+goose\s+up\b`)
	generates = regexp.MustCompile(`(?m)^//go:generate\s+(.+)$`)
)

// scan walks through the module, but not into what isn't the service's own:
// hidden folders, dependencies, test data and other modules.
func scan(dir string) (*found, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // only read
	module, f := root.FS(), &found{}
	err = fs.WalkDir(module, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != "." && foreign(module, name) {
				return fs.SkipDir
			}
			return nil
		}
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
			return err
		}
		switch path.Ext(name) {
		case ".yaml", ".yml", ".json", ".go", ".sql":
			content, err := fs.ReadFile(module, name)
			if err != nil {
				return err
			}
			f.look(name, content)
		}
		return nil
	})
	f.oapi = append(f.oapi, oapiRuns(f.runs)...)
	return f, err
}

func foreign(module fs.FS, dir string) bool {
	name := path.Base(dir)
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || slices.Contains([]string{"vendor", "node_modules", "testdata"}, name) {
		return true
	}
	_, err := fs.Stat(module, path.Join(dir, "go.mod"))
	return err == nil
}

func (f *found) look(name string, content []byte) {
	switch base := path.Base(name); {
	case path.Ext(name) == ".sql":
		if folder := path.Dir(name); gooseUp.Match(content) && !slices.Contains(f.goose, folder) {
			f.goose = append(f.goose, folder)
		}
	case path.Ext(name) == ".go":
		f.goFile(name, content)
	case base == "sqlc.yaml" || base == "sqlc.yml" || base == "sqlc.json":
		f.sqlc = append(f.sqlc, name)
	case openAPI.Match(content):
		f.specs = append(f.specs, name)
	default:
		if c, ok := parseOAPI(name, content); ok {
			f.oapi = append(f.oapi, c)
		}
	}
}

func (f *found) goFile(name string, content []byte) {
	if path.Dir(name) == "." && f.rootPkg == "" && !strings.HasSuffix(name, "_test.go") {
		if file, err := parser.ParseFile(token.NewFileSet(), name, content, parser.PackageClauseOnly); err == nil {
			f.rootPkg = file.Name.Name
		}
	}
	for _, m := range generates.FindAllSubmatchIndex(content, -1) {
		line := 1 + strings.Count(string(content[:m[0]]), "\n")
		f.runs = append(f.runs, goGenerate{name, line, strings.TrimSpace(string(content[m[2]:m[3]]))})
	}
}
