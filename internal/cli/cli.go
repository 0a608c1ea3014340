// Package cli is idemgen's command line.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/internal/diag"
)

// Exit codes, as diff(1) has them.
const (
	exitOK      = 0
	exitProblem = 1 // diagnostics of the user's files, drift, or a cleanup that failed
	exitTrouble = 2 // usage, I/O, or a bug
)

// errReported says that what is wrong was printed already.
var errReported = errors.New("reported")

// Run executes the command line args, without the program's name, and returns
// the exit code: 0 if all is well, 1 for diagnostics, for drift and for a cleanup
// that failed, 2 for wrong usage, I/O errors and bugs.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := rootCommand()
	understood := markUnderstood(root)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errReported):
		return exitProblem
	}
	_, _ = fmt.Fprintf(stderr, "idemgen: %s\n", escapeLines(err.Error()))
	if !*understood {
		_, _ = fmt.Fprintf(stderr, "Run '%s --help' for usage.\n", cmd.CommandPath())
	}
	return exitTrouble
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "idemgen",
		Short: "Make the operations of an OpenAPI document safe to retry",
		Long: `idemgen reads an OpenAPI document whose operations carry x-idempotent, and
generates handlers, queries and a migration that put the idempotency record
and the business write in one PostgreSQL transaction.`,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(cleanupCommand(), explainCommand(), generateCommand(), initCommand(), newCommand(), schemaCommand(), stubsCommand(), versionCommand())
	return root
}

// markUnderstood tells, after a run, whether a command was begun: an error from
// before that is one of usage.
func markUnderstood(root *cobra.Command) *bool {
	understood := new(bool)
	for _, cmd := range append(root.Commands(), root) {
		run := cmd.RunE
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			*understood = true
			return run(cmd, args)
		}
	}
	return understood
}

// escapeLines is diag.Escape for the words of another tool, which may have lines.
func escapeLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = diag.Escape(lines[i])
	}
	return strings.Join(lines, "\n")
}
