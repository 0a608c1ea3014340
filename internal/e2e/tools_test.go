package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
	"github.com/rogpeppe/go-internal/testscript"
	sqlccli "github.com/sqlc-dev/sqlc/pkg/cli"
	"go.yaml.in/yaml/v3"
)

// The tools that a service has before it has idemgen, as commands of scripts.
var tools = map[string]func(){
	"sqlc": func() { os.Exit(sqlccli.Run(os.Args[1:])) },
	"oapi-codegen": func() {
		if err := oapiCodegen(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	},
}

// oapiCodegen runs the library as its command does with -config FILE SPEC.
func oapiCodegen(args []string) error {
	if len(args) != 3 || args[0] != "-config" {
		return fmt.Errorf("usage: oapi-codegen -config FILE SPEC")
	}
	content, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	var config struct {
		codegen.Configuration `yaml:",inline"`
		Output                string `yaml:"output"`
	}
	if err := yaml.Unmarshal(content, &config); err != nil {
		return err
	}
	doc, err := openapi3.NewLoader().LoadFromFile(args[2])
	if err != nil {
		return err
	}
	code, err := codegen.Generate(doc, config.UpdateDefaults())
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(config.Output), 0o755); err != nil {
		return err
	}
	return os.WriteFile(config.Output, []byte(code), 0o600)
}

// goEnvironment lets scripts run the go command with the caches of this machine.
func goEnvironment(t *testing.T) func(*testscript.Env) error {
	names := []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOFLAGS"}
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	return func(env *testscript.Env) error {
		for i, name := range names {
			env.Setenv(name, values[i])
		}
		env.Setenv("GOTOOLCHAIN", "local")
		return nil
	}
}
