package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/idemgen/idemgen/internal/diag"
)

// talk is how a command speaks: results on stdout, diagnostics and progress on
// stderr. With --json there is one document on stdout instead.
type talk struct {
	out, err io.Writer
	style    diag.Style
	quiet    bool
	json     bool
	progress bool // stderr is a terminal that can redraw a line
	github   bool // annotate too
	found    diag.Set
}

// newTalk reads the flags that cmd has of --quiet and --json.
func newTalk(cmd *cobra.Command) *talk {
	t := &talk{out: cmd.OutOrStdout(), err: cmd.ErrOrStderr()}
	t.quiet, _ = cmd.Flags().GetBool("quiet") // false if there is no such flag
	t.json, _ = cmd.Flags().GetBool("json")
	redraws := isTerminal(t.err) && os.Getenv("TERM") != "dumb"
	t.style.Color = redraws && os.Getenv("NO_COLOR") == "" // no-color.org
	t.progress = redraws && !t.quiet && !t.json
	t.github = os.Getenv("GITHUB_ACTIONS") == "true"
	return t
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// addConfig adds the flag of every command that reads the configuration.
func addConfig(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVarP(path, "config", "c", "idemgen.yaml", "the configuration `file`")
	_ = cmd.MarkFlagFilename("config", "yaml", "yml") // it fails for flags that aren't there
}

// addQuiet and addJSON are the flags that newTalk reads.
func addQuiet(cmd *cobra.Command) {
	cmd.Flags().BoolP("quiet", "q", false, "print only what is wrong")
}

func addJSON(cmd *cobra.Command) {
	cmd.Flags().Bool("json", false, "print one JSON document instead of text")
}

// diagnostics prints what was found, or keeps it for the JSON document. In
// GitHub Actions it is shown at the lines of the pull request too.
func (t *talk) diagnostics(found *diag.Set) error {
	if t.json {
		t.found.Merge(found)
		return nil
	}
	if err := t.style.Print(t.err, found, readSource); err != nil || !t.github {
		return err
	}
	return diag.PrintGitHub(t.err, found, fromWorkspace)
}

// fromWorkspace is a path from the root of the repository that GitHub checked
// out, where it has one.
func fromWorkspace(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(os.Getenv("GITHUB_WORKSPACE"), abs)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return filepath.ToSlash(rel)
}

// sayf prints a line of a result.
func (t *talk) sayf(format string, args ...any) error {
	if t.quiet || t.json {
		return nil
	}
	_, err := fmt.Fprintf(t.out, strings.TrimSuffix(format, "\n")+"\n", args...)
	return err
}

// document prints the JSON document, if one is asked for.
func (t *talk) document(v any) error {
	if !t.json {
		return nil
	}
	text, err := diag.MarshalJSON(v, "  ")
	if err != nil {
		return err
	}
	_, err = t.out.Write(text)
	return err
}

// refused ends a command whose inputs are wrong.
func (t *talk) refused(found *diag.Set) error {
	if err := t.diagnostics(found); err != nil {
		return err
	}
	if err := t.document(struct {
		Diagnostics []diag.Record `json:"diagnostics"`
	}{diag.Records(&t.found)}); err != nil {
		return err
	}
	return errReported
}

// readSource gives the printer the line that a diagnostic is about.
func readSource(path string) ([]byte, bool) {
	content, err := os.ReadFile(path)
	return content, err == nil
}
