// Package e2e runs the generator as users do: one txtar file a case, with the
// exact output. `go test ./internal/e2e -update` rewrites what changed.
package e2e

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idemgen/idemgen/internal/cli"
	"github.com/idemgen/idemgen/internal/sqlc"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

func TestMain(m *testing.M) {
	if code, ok := sqlc.RunAsChild(); ok {
		os.Exit(code)
	}
	commands := maps.Clone(tools)
	commands["idemgen"] = func() { os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
	testscript.Main(m, commands)
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               goEnvironment(t),
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"mtimes": mtimes},
	})
}

// mtimes writes the files of the working folder that generate may write, with
// the times of their last change, to the file that it gets.
func mtimes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: mtimes file")
	}
	var list strings.Builder
	work := os.DirFS(ts.MkAbs("."))
	ts.Check(fs.WalkDir(work, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.Contains([]string{".go", ".sql", ".lock", ".yaml"}, filepath.Ext(path)) {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			fmt.Fprintln(&list, path, info.ModTime().UnixNano())
		}
		return err
	}))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(list.String()), 0o600))
}
