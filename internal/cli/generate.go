package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/internal/changes"
	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/generate"
	"github.com/idemgen/idemgen/internal/output"
)

type generateFlags struct {
	config             string
	check, diff, force bool
	strict             bool
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
	addConfig(cmd, &flags.config)
	f.BoolVar(&flags.check, "check", false, "write nothing; list what isn't up to date, and exit with 1 if anything isn't")
	f.BoolVar(&flags.diff, "diff", false, "write nothing; show what would change as a unified diff, and exit with 1 if anything would")
	f.BoolVar(&flags.force, "force", false, "overwrite generated files that were edited")
	f.BoolVar(&flags.strict, "strict", false, "take warnings as errors: write nothing, and exit with 1 if there are any")
	addQuiet(cmd)
	addJSON(cmd)
	cmd.MarkFlagsMutuallyExclusive("check", "diff", "force")
	cmd.MarkFlagsMutuallyExclusive("check", "diff", "strict")
	cmd.MarkFlagsMutuallyExclusive("diff", "json")
	return cmd
}

func runGenerate(cmd *cobra.Command, flags generateFlags) error {
	t := newTalk(cmd)
	done := t.step("generating")
	made, diags, err := generate.Run(cmd.Context(), flags.config)
	done()
	if err := refuse(t, diags, err); err != nil {
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
	if err := refuse(t, diags, nil); err != nil {
		return err
	}
	switch {
	case flags.check:
		return check(t, plan, made.Display)
	case flags.diff:
		return showDiff(t, plan, made.Display)
	}
	changed, warnings := made.Changes()
	if flags.strict {
		err = refuse(t, warnings.Errors(), nil)
	} else {
		err = t.diagnostics(warnings) // before their places in the lock are overwritten
	}
	if err != nil {
		return err
	}
	result, err := plan.Apply()
	if err != nil {
		return err
	}
	if err := t.diagnostics(made.Notices); err != nil {
		return err
	}
	hand := handWorkOf(made)
	if err := t.diagnostics(wrongMethods(hand.work)); err != nil {
		return err
	}
	return report(t, plan, made.Display, result, changed, hand)
}

// refuse ends the command if there are diagnostics.
func refuse(t *talk, diags *diag.Set, err error) error {
	if diags.Empty() || err != nil {
		return errors.Join(t.diagnostics(diags), err)
	}
	return t.refused(diags)
}

// check lists what isn't up to date.
func check(t *talk, plan *output.Plan, display func(string) string) error {
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
		if t.json {
			continue
		}
		if _, err := fmt.Fprintln(t.out, state, diag.Escape(display(f.Path))); err != nil {
			return err
		}
	}
	if err := t.document(newCheckResult(&t.found, plan, display)); err != nil {
		return err
	}
	if count == 0 {
		return t.sayf("%d files are up to date", len(plan.Files))
	}
	_, err := fmt.Fprintln(t.err, "not up to date; run idemgen generate")
	return orReported(err)
}

func showDiff(t *talk, plan *output.Plan, display func(string) string) error {
	text := plan.Diff(display)
	if len(text) == 0 {
		return nil
	}
	_, err := t.out.Write(text)
	return orReported(err)
}

func orReported(err error) error {
	if err != nil {
		return err
	}
	return errReported
}

// report names each file that was written or deleted.
func report(t *talk, plan *output.Plan, display func(string) string, result output.Result, changed []changes.Change, hand handWork) error {
	for _, path := range result.Written {
		if err := t.sayf("wrote %s", diag.Escape(display(path))); err != nil {
			return err
		}
	}
	for _, path := range result.Deleted {
		if err := t.sayf("deleted %s", diag.Escape(display(path))); err != nil {
			return err
		}
	}
	for _, f := range result.Kept {
		if err := t.sayf("kept %s, which is no longer generated: %s", diag.Escape(display(f.Path)), f.Reason); err != nil {
			return err
		}
	}
	deleted := ""
	if len(result.Deleted) > 0 {
		deleted = fmt.Sprintf("%d deleted, ", len(result.Deleted))
	}
	if err := t.sayf("%d written, %s%d unchanged", len(result.Written), deleted, result.Unchanged); err != nil {
		return err
	}
	if !t.quiet && !t.json {
		if err := changes.Print(t.out, changed); err != nil {
			return err
		}
	}
	if err := hand.print(t); err != nil {
		return err
	}
	return t.document(newGenerateResult(&t.found, plan, display, result, changed, hand))
}
