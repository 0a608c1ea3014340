package adopt

import (
	"bytes"
	"fmt"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/idemgen/idemgen/internal/config"
	"github.com/idemgen/idemgen/internal/gomod"
)

// The files that are written beside go.mod.
const (
	configFile   = "idemgen.yaml"
	schemaFile   = "idemgen.schema.json"
	generateFile = "generate.go"
)

// configText is idemgen.yaml without what has its default.
type configText struct {
	Version int        `yaml:"version"`
	Spec    string     `yaml:"spec"`
	API     apiText    `yaml:"api,omitempty,flow"`
	DB      dbText     `yaml:"db,omitempty,flow"`
	OAPI    *yaml.Node `yaml:"oapi,omitempty"`
}

type apiText struct {
	Dir     string `yaml:"dir,omitempty"`
	Package string `yaml:"package,omitempty"`
}

type dbText struct {
	Migrations string `yaml:"migrations,omitempty"`
	Queries    string `yaml:"queries,omitempty"`
}

// writeConfiguration writes idemgen.yaml and the schema that it names for
// editors. The text is read back, so that it is one that generate takes.
func (a *adoption) writeConfiguration() error {
	text := configText{Version: 1, Spec: a.cfg.Spec, API: apiText{a.cfg.API.Dir, a.cfg.API.Package}, DB: dbText{a.cfg.DB.Migrations, a.cfg.DB.Queries}, OAPI: a.oapi}
	for _, field := range []struct {
		value     *string
		byDefault string
	}{{&text.API.Dir, "api"}, {&text.DB.Migrations, "db/migrations"}, {&text.DB.Queries, defaultQueries}} {
		if *field.value == field.byDefault {
			*field.value = ""
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# yaml-language-server: $schema=%s\n", schemaFile)
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(text); err != nil {
		return err
	}
	a.write(configFile, b.Bytes())
	cfg, err := readBack(b.Bytes())
	if err != nil {
		return err
	}
	cfg.Dir, cfg.File = a.cfg.Dir, a.cfg.File
	a.cfg = cfg
	if a.exists(schemaFile) {
		a.plan.Present = append(a.plan.Present, schemaFile)
		return nil
	}
	schema, err := config.Schema().Text()
	a.write(schemaFile, schema)
	return err
}

func readBack(text []byte) (*config.Config, error) {
	dir, err := os.MkdirTemp("", "idemgen-init-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, configFile)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	cfg, diags := config.Load(file)
	for _, d := range diags.All() {
		return nil, fmt.Errorf("what was found can't be configured: %s", d.Message)
	}
	return cfg, nil
}

// generateLine writes generate.go, unless its line is somewhere already.
func (a *adoption) generateLine() {
	has := slices.ContainsFunc(a.seen.runs, func(r goGenerate) bool { return strings.Contains(r.command, "idemgen generate") })
	switch {
	case has:
		a.plan.Present = append(a.plan.Present, "go:generate line")
	case a.exists(generateFile):
		a.todof("add to %s, which is yours: //go:generate %s", generateFile, gomod.GenerateCommand)
	default:
		a.write(generateFile, []byte("package "+a.packageName()+"\n\n//go:generate "+gomod.GenerateCommand+"\n"))
	}
}

var notLetters = regexp.MustCompile(`[^\pL\p{Nd}_]+`)

// packageName is that of the module's folder, as it is or as one would name it.
func (a *adoption) packageName() string {
	if a.seen.rootPkg != "" {
		return a.seen.rootPkg
	}
	content, err := os.ReadFile(filepath.Join(a.options.Dir, "go.mod"))
	if err != nil {
		return "main" // go.mod is read again, and the error told
	}
	prefix, _, _ := module.SplitPathVersion(modfile.ModulePath(content))
	if name := notLetters.ReplaceAllString(path.Base(prefix), ""); token.IsIdentifier(name) {
		return name
	}
	return "service"
}
