package cli

import (
	"fmt"
	"os/exec"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/gomod"
	"github.com/idemgen/idemgen/internal/scaffold"
)

func newCommand() *cobra.Command {
	var o scaffold.Options
	cmd := &cobra.Command{
		Use:   "new DIR",
		Short: "Make a new service",
		Long: `new writes a service of an OpenAPI document into a folder that is new or empty:
handlers, tables, queries, a main program and tests, all yours to change. It
builds, migrates, runs and passes its own tests at once. Operations for which no
table can be derived answer 501, and are listed at the end.

If no operation of the document has x-idempotent, every POST is marked in an
overlay beside it.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Dir = args[0]
			return runNew(cmd, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Spec, "spec", "", "the OpenAPI document, a `file` that is copied (default: a small one to start with)")
	f.StringVar(&o.Module, "module", "", "the `path` of the service's Go module, such as example.com/shop")
	f.StringVar(&o.Replace, "replace", "", "build against the checkout of idemgen in this `folder` (default: the one that this program was built in, if any)")
	addQuiet(cmd)
	_ = cmd.MarkFlagRequired("module") // it is a flag
	return cmd
}

func runNew(cmd *cobra.Command, o scaffold.Options) error {
	if _, err := exec.LookPath("go"); err != nil {
		return fmt.Errorf("a service is Go, and made with the go command: %w; install Go, or add it to PATH", err)
	}
	t := newTalk(cmd)
	done := t.step("making the service")
	made, diags, err := scaffold.New(cmd.Context(), o)
	done()
	if err := refuse(t, diags, err); err != nil {
		return err
	}
	done = t.step("completing go.mod and tools.mod")
	tidyErr := gomod.Tidy(cmd.Context(), o.Dir)
	done()
	if tidyErr != nil {
		if _, err := fmt.Fprintf(t.err, "go.mod and tools.mod aren't complete yet: %s\n", escapeLines(tidyErr.Error())); err != nil {
			return err
		}
	}
	return t.sayf("%s", describe(o.Dir, made, tidyErr == nil))
}

// describe says what was made, what is left to do, and what to type next.
func describe(dir string, s *scaffold.Service, tidy bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d files in %s\n", s.Name, len(s.Files), diag.Escape(dir))
	if s.Marked > 0 {
		fmt.Fprintf(&b, "no operation had x-idempotent: %s marks every POST, %d of them\n", s.Overlay, s.Marked)
	}
	operations(&b, "done:", s.Done)
	operations(&b, "to do, they answer 501:", s.Todo)
	if len(s.Notes) > 0 {
		b.WriteString("\nto look at:\n")
		for _, note := range s.Notes {
			fmt.Fprintf(&b, "  %s\n", diag.Escape(note))
		}
	}
	fmt.Fprintf(&b, "\nnext:\n  cd %s\n", diag.Escape(dir))
	if !tidy {
		for _, command := range gomod.Commands {
			fmt.Fprintf(&b, "  %s\n", command)
		}
	}
	b.WriteString("  go test ./...\n  make help")
	return b.String()
}

func operations(b *strings.Builder, title string, list []scaffold.Operation) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", title)
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, op := range list {
		_, _ = fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", op.Name, op.Method, diag.Escape(op.Path), diag.Escape(op.Says)) // a Builder takes all
	}
	_ = table.Flush()
}
