package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/generate"
	"github.com/idemgen/idemgen/internal/output"
)

type generateFlags struct {
	config             string
	check, diff, force bool
}

func generateCommand() *cobra.Command {
	var flags generateFlags
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Generate the service of a configuration",
		Long: `generate reads the configuration and the OpenAPI document that it names, and
writes the generated files. It writes all of them or, if anything is wrong with
its inputs, none. Files that did not change are not touched, and files that are
no longer generated are deleted. What it wrote is noted in idemgen.lock: a
generated file that was edited since is not overwritten.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runGenerate(cmd, flags) },
	}
	f := cmd.Flags()
	f.StringVarP(&flags.config, "config", "c", "idemgen.yaml", "the configuration `file`")
	f.BoolVar(&flags.check, "check", false, "write nothing; list what isn't up to date, and exit with 1 if anything isn't")
	f.BoolVar(&flags.diff, "diff", false, "write nothing; show what would change as a unified diff, and exit with 1 if anything would")
	f.BoolVar(&flags.force, "force", false, "overwrite generated files that were edited")
	cmd.MarkFlagsMutuallyExclusive("check", "diff", "force")
	return cmd
}

func runGenerate(cmd *cobra.Command, flags generateFlags) error {
	made, diags, err := generate.Run(cmd.Context(), flags.config)
	if err := refuse(cmd, diags, err); err != nil {
		return err
	}
	plan, err := output.NewPlan(made.Output())
	if err != nil {
		return err
	}
	diags = plan.Foreign(made.Display)
	if !flags.check && !flags.diff && !flags.force {
		diags.Merge(plan.Edited(made.Display))
	}
	if err := refuse(cmd, diags, nil); err != nil {
		return err
	}
	switch {
	case flags.check:
		return check(cmd, plan, made.Display)
	case flags.diff:
		return showDiff(cmd, plan, made.Display)
	}
	result, err := plan.Apply()
	if err != nil {
		return err
	}
	if err := diag.PrintText(cmd.ErrOrStderr(), made.Notices, readSource); err != nil {
		return err
	}
	return report(cmd.OutOrStdout(), made.Display, result)
}

// refuse prints diagnostics, if there are any.
func refuse(cmd *cobra.Command, diags *diag.Set, err error) error {
	if diags.Empty() {
		return err
	}
	if printErr := diag.PrintText(cmd.ErrOrStderr(), diags, readSource); printErr != nil {
		return printErr
	}
	if err == nil {
		err = errReported
	}
	return err
}

// check lists what isn't up to date.
func check(cmd *cobra.Command, plan *output.Plan, display func(string) string) error {
	count := 0
	for _, f := range plan.Files {
		state := f.State
		switch state {
		case output.Unchanged:
			continue
		case output.Kept: // generate tells why it doesn't delete it
			state = output.Stale
		default:
		}
		count++
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), state, diag.Escape(display(f.Path))); err != nil {
			return err
		}
	}
	if count == 0 {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%d files are up to date\n", len(plan.Files))
		return err
	}
	_, err := fmt.Fprintln(cmd.ErrOrStderr(), "not up to date; run idemgen generate")
	return orReported(err)
}

func showDiff(cmd *cobra.Command, plan *output.Plan, display func(string) string) error {
	text := plan.Diff(display)
	if len(text) == 0 {
		return nil
	}
	_, err := cmd.OutOrStdout().Write(text)
	return orReported(err)
}

func orReported(err error) error {
	if err != nil {
		return err
	}
	return errReported
}

// report names each file that was written or deleted.
func report(w io.Writer, display func(string) string, result output.Result) error {
	for _, path := range result.Written {
		if _, err := fmt.Fprintln(w, "wrote", diag.Escape(display(path))); err != nil {
			return err
		}
	}
	for _, path := range result.Deleted {
		if _, err := fmt.Fprintln(w, "deleted", diag.Escape(display(path))); err != nil {
			return err
		}
	}
	for _, f := range result.Kept {
		if _, err := fmt.Fprintf(w, "kept %s, which is no longer generated: %s\n", diag.Escape(display(f.Path)), f.Reason); err != nil {
			return err
		}
	}
	deleted := ""
	if len(result.Deleted) > 0 {
		deleted = fmt.Sprintf("%d deleted, ", len(result.Deleted))
	}
	_, err := fmt.Fprintf(w, "%d written, %s%d unchanged\n", len(result.Written), deleted, result.Unchanged)
	return err
}

// readSource gives the printer the line that a diagnostic is about.
func readSource(path string) ([]byte, bool) {
	content, err := os.ReadFile(path)
	return content, err == nil
}
