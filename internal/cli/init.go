package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/internal/adopt"
	"github.com/idemgen/idemgen/internal/diag"
)

// initResult is the JSON document of init. Its names are part of the interface
// to users; the lines are for people.
type initResult struct {
	Diagnostics []diag.Record `json:"diagnostics"`
	Found       []string      `json:"found"`
	Written     []string      `json:"written"`
	Present     []string      `json:"present"`
	Todo        []string      `json:"todo"`
}

func initCommand() *cobra.Command {
	var o adopt.Options
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Add idemgen to a Go module that exists",
		Long: `init looks for the OpenAPI document, the sqlc configuration, the goose
migrations and the oapi-codegen configuration of the module in DIR (default: the
current folder). It writes idemgen.yaml, a go:generate line, tools.mod with the
pinned tool, and requires the runtime in go.mod; then it says what is left to do.

It overwrites no file, and writes all or nothing. Run again, it writes what is
missing.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Dir = "."
			if len(args) > 0 {
				o.Dir = args[0]
			}
			return runInit(cmd, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Spec, "spec", "", "the OpenAPI `file` (default: the one that is found)")
	f.StringVar(&o.SQLC, "sqlc", "", "the sqlc configuration `file` (default: the one that is found)")
	f.StringVar(&o.Migrations, "migrations", "", "the `folder` of goose migrations (default: the one that is found)")
	f.StringVar(&o.API, "api", "", "the `folder` of the generated server (default: that of the one that is found, or api)")
	f.StringVar(&o.Replace, "replace", "", "a `folder` with a checkout of idemgen to build against (default: the one that this idemgen was built from, if any)")
	addQuiet(cmd)
	addJSON(cmd)
	return cmd
}

func runInit(cmd *cobra.Command, o adopt.Options) error {
	t := newTalk(cmd)
	done := t.step("looking at the module")
	plan, diags, err := adopt.New(cmd.Context(), o)
	done()
	if err := refuse(t, diags, err); err != nil {
		return err
	}
	written, err := plan.Apply()
	if err != nil {
		return err
	}
	for _, list := range []struct {
		label string
		lines []string
	}{{"found", plan.Found}, {"wrote", written}, {"there already:", plan.Present}} {
		for _, line := range list.lines {
			if err := t.sayf("%s %s", list.label, diag.Escape(line)); err != nil {
				return err
			}
		}
	}
	if err := sayTodo(t, plan.Todo, len(written)); err != nil {
		return err
	}
	return t.document(initResult{diag.Records(&t.found), lines(plan.Found), lines(written), lines(plan.Present), lines(plan.Todo)})
}

// sayTodo lists the steps; lines that begin with a dash belong to the one before.
func sayTodo(t *talk, todo []string, written int) error {
	switch {
	case len(todo) > 0:
		if err := t.sayf("\nleft to do:"); err != nil {
			return err
		}
	case written == 0:
		return t.sayf("nothing is missing")
	}
	step := 0
	for _, line := range todo {
		line = diag.Escape(line)
		var err error
		if strings.HasPrefix(line, "- ") {
			err = t.sayf("     %s", line)
		} else {
			step++
			err = t.sayf("%3d. %s", step, line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lines is an empty list for none, which JSON would call null.
func lines(list []string) []string { return append([]string{}, list...) }
