package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/internal/config"
	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/schema"
	"github.com/idemgen/idemgen/internal/spec"
)

var schemaNames = []string{"config", "extension"}

func schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema config|extension",
		Short: "Print the JSON Schema of idemgen.yaml or of x-idempotent",
		Long: `schema prints a JSON Schema (draft 2020-12) for editors and linters: that of
idemgen.yaml, or that of the extension x-idempotent.`,
		ValidArgs: schemaNames,
		Args:      cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var s schema.Schema
			switch args[0] {
			case "config":
				s = config.Schema()
			case "extension":
				s = spec.ExtensionSchema()
			default:
				return fmt.Errorf("there is no schema %q; choose %s%s", args[0], strings.Join(schemaNames, " or "), diag.DidYouMean(args[0], slices.Clone(schemaNames)))
			}
			text, err := s.Text()
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
}
