// Package cli is idemgen's command line.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes, as diff(1) has them.
const (
	exitOK      = 0
	exitProblem = 1 // diagnostics of the user's files, or a cleanup that failed
	exitTrouble = 2 // usage, I/O, or a bug
)

// errReported says that what is wrong was printed already.
var errReported = errors.New("reported")

// Run executes the command line args, without the program's name, and returns
// the exit code: 0 if all is well, 1 for diagnostics and for a cleanup that
// failed, 2 for wrong usage, I/O errors and bugs.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := rootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errReported):
		return exitProblem
	}
	_, _ = fmt.Fprintf(stderr, "idemgen: %s\n", err)
	return exitTrouble
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "idemgen",
		Short: "Make the operations of an OpenAPI document safe to retry",
		Long: `idemgen reads an OpenAPI document whose operations carry x-idempotent, and
generates handlers, queries and a migration that put the idempotency record
and the business write in one PostgreSQL transaction.`,
		Args:              cobra.NoArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(cleanupCommand(), generateCommand(), newCommand(), versionCommand())
	return root
}
