package cli

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/generate"
	"github.com/idemgen/idemgen/internal/stubs"
)

// reportLacking prints the methods that the service has to write now, ready to
// be pasted. A service that has no such type yet isn't told so at its first run.
func reportLacking(cmd *cobra.Command, made *generate.Generated) error {
	source := made.Files[path.Join(made.Config.API.Dir, stubs.File)]
	work, err := lacking(made.Config, source, stubs.Options{})
	var notFound *stubs.NotFoundError
	switch {
	case errors.As(err, &notFound):
		return reportGained(cmd, made, notFound)
	case err != nil: // Go files that don't parse are the compiler's business
		return nil
	}
	if err := diag.PrintText(cmd.ErrOrStderr(), wrongMethods(work), readSource); err != nil {
		return err
	}
	if len(work.Missing) == 0 {
		return nil
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s (%s:%d) lacks %s of Handlers; idemgen stubs writes this into a new file:\n\n%s",
		work.Type.Name, diag.Escape(relative(work.Type.Pos.Filename)), work.Type.Pos.Line, counted(len(work.Missing), "method"), work.Methods())
	return err
}

// reportGained names the methods that are new since the run before.
func reportGained(cmd *cobra.Command, made *generate.Generated, why error) error {
	if made.Old == nil {
		return nil
	}
	gained := slices.DeleteFunc(slices.Clone(made.New.Methods), func(name string) bool { return slices.Contains(made.Old.Methods, name) })
	if len(gained) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "Handlers has new methods: %s; idemgen stubs writes them: %s\n", strings.Join(gained, ", "), diag.Escape(why.Error()))
	return err
}
