package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/generate"
	"github.com/idemgen/idemgen/internal/output"
)

func generateCommand() *cobra.Command {
	var configPath string
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Generate the service of a configuration",
		Long: `generate reads the configuration and the OpenAPI document that it names, and
writes the generated files. It writes all of them or, if anything is wrong with
its inputs, none. Files that did not change are not touched.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runGenerate(cmd, configPath) },
	}
	cmd.Flags().StringVarP(&configPath, "config", "c", "idemgen.yaml", "the configuration `file`")
	return cmd
}

func runGenerate(cmd *cobra.Command, configPath string) error {
	made, diags, err := generate.Run(cmd.Context(), configPath)
	if !diags.Empty() {
		if err := diag.PrintText(cmd.ErrOrStderr(), diags, readSource); err != nil {
			return err
		}
		if err == nil {
			return errReported
		}
	}
	if err != nil {
		return err
	}
	result, err := output.Write(made.Dir, made.Files)
	if err != nil {
		return err
	}
	return report(cmd.OutOrStdout(), made.Dir, result)
}

// report names each file that was written.
func report(w io.Writer, dir string, result output.Result) error {
	for _, path := range result.Written {
		if _, err := fmt.Fprintln(w, "wrote", filepath.Join(dir, filepath.FromSlash(path))); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%d written, %d unchanged\n", len(result.Written), len(result.Unchanged))
	return err
}

// readSource gives the printer the line that a diagnostic is about.
func readSource(path string) ([]byte, bool) {
	content, err := os.ReadFile(path)
	return content, err == nil
}
