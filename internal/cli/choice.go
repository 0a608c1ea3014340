package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/internal/diag"
)

// choice is a flag whose value is one of a few words.
type choice struct {
	value string
	words []string
}

func newChoice(value string, words ...string) *choice { return &choice{value, words} }

// register adds the flag, and its words to the shell's completion.
func (c *choice) register(cmd *cobra.Command, name, usage string) {
	cmd.Flags().Var(c, name, usage+": "+strings.Join(c.words, ", "))
	complete := cobra.FixedCompletions(c.words, cobra.ShellCompDirectiveNoFileComp)
	_ = cmd.RegisterFlagCompletionFunc(name, complete) // it fails for flags that aren't there
}

// String, Set and Type make it a pflag.Value.
func (c *choice) String() string { return c.value }

// Set takes a word.
func (c *choice) Set(word string) error {
	if !slices.Contains(c.words, word) {
		return fmt.Errorf("choose %s%s", strings.Join(c.words, ", "), diag.DidYouMean(word, c.words))
	}
	c.value = word
	return nil
}

// Type names the value in the command's help.
func (c *choice) Type() string { return "format" }
