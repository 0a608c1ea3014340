package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/internal/config"
	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/explain"
	"github.com/idemgen/idemgen/internal/generate"
)

// explainFormats are the printers, by the value of --format.
var explainFormats = map[string]func(io.Writer, explain.Report) error{
	"text":     explain.WriteText,
	"markdown": explain.WriteMarkdown,
	"json": func(w io.Writer, r explain.Report) error {
		text, err := diag.MarshalJSON(r, "  ")
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	},
}

func explainCommand() *cobra.Command {
	var configPath string
	format := newChoice("text", "text", "json", "markdown")
	cmd := &cobra.Command{
		Use:   "explain",
		Short: "Show what each operation promises to a client that retries",
		Long: `explain shows the contract of every operation that carries x-idempotent: where
its key comes from, who shares keys, what makes two requests differ, how long
answers are kept and which, and what a duplicate gets while the first request
is in flight. Then it names the operations that aren't protected, and why.

It reads the configuration and the OpenAPI document, and writes nothing.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			t := newTalk(cmd)
			t.style.ReadOnly = true
			t.json = format.value == "json"
			cfg, diags := config.Load(configPath)
			if !diags.Empty() {
				return t.refused(diags)
			}
			doc, diags := generate.LoadSpec(cfg)
			if !diags.Empty() {
				return t.refused(diags)
			}
			return explainFormats[format.value](t.out, explain.Of(doc))
		},
	}
	addConfig(cmd, &configPath)
	format.register(cmd, "format", "the output's format")
	return cmd
}
