package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/internal/build"
	"github.com/idemgen/idemgen/internal/config"
	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/gomod"
	"github.com/idemgen/idemgen/internal/stubs"
)

// ruleSignature is for a method that the interface has with another signature.
const ruleSignature = "stubs/signature"

func stubsCommand() *cobra.Command {
	var configPath string
	var options stubs.Options
	cmd := &cobra.Command{
		Use:   "stubs",
		Short: "Write the methods of Handlers that the service lacks",
		Long: `stubs finds the type that implements the generated Handlers interface, and
writes the methods that it lacks into a new file beside it. Each answers with a
501 problem, which is not stored, until it is filled in. No file that exists is
touched: a method whose signature changed is reported.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runStubs(cmd, configPath, options) },
	}
	addConfig(cmd, &configPath)
	cmd.Flags().StringVar(&options.Type, "type", "", "the `name` of the type, if it can't be told")
	cmd.Flags().StringVar(&options.Dir, "dir", "", "the `folder` of the type's package")
	_ = cmd.MarkFlagDirname("dir") // it fails for flags that aren't there
	addQuiet(cmd)
	return cmd
}

func runStubs(cmd *cobra.Command, configPath string, options stubs.Options) error {
	t := newTalk(cmd)
	cfg, diags := config.Load(configPath)
	if err := refuse(t, diags, nil); err != nil {
		return err
	}
	name := filepath.Join(cfg.Dir, filepath.FromSlash(cfg.API.Dir), stubs.File)
	source, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not there; run idemgen generate first", name)
	}
	if err != nil {
		return err
	}
	work, err := lacking(cfg, source, options)
	if err != nil {
		return err
	}
	if err := t.diagnostics(wrongMethods(work)); err != nil {
		return err
	}
	if len(work.Missing) == 0 {
		return t.sayf("%s has all methods of Handlers", work.Type.Name)
	}
	written, err := work.Write()
	if err != nil {
		return err
	}
	return t.sayf("wrote %s: %s of %s", diag.Escape(relative(written)), counted(len(work.Missing), "method"), work.Type.Name)
}

// lacking compares the service's type with the interface in source, which is
// what the generated file holds.
func lacking(cfg *config.Config, source []byte, options stubs.Options) (*stubs.Work, error) {
	handlers, err := stubs.Parse(source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path.Join(cfg.API.Dir, stubs.File), err)
	}
	root, modulePath, err := gomod.Enclosing(cfg.Dir)
	if err != nil {
		return nil, err
	}
	if root == "" {
		return nil, errors.New("there is no go.mod; run go mod init first")
	}
	dir, err := filepath.Abs(filepath.Join(cfg.Dir, filepath.FromSlash(cfg.API.Dir)))
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return nil, err
	}
	module := stubs.NewModule(root, modulePath)
	t, err := module.Find(handlers, options)
	if err != nil {
		return nil, err
	}
	api := &stubs.API{
		Handlers: handlers, Dir: filepath.ToSlash(rel),
		ImportPath: path.Join(modulePath, filepath.ToSlash(rel)), Runtime: build.RuntimeImport,
	}
	return module.Compare(api, t), nil
}

// wrongMethods are those that keep the service from building. work may be nil.
func wrongMethods(work *stubs.Work) *diag.Set {
	diags := &diag.Set{}
	if work == nil {
		return diags
	}
	for _, w := range work.Wrong {
		pos := diag.Pos{File: relative(w.Pos.Filename), Line: w.Pos.Line, Col: w.Pos.Column}
		diags.Warnf(pos, w.Len, ruleSignature, "%s has another signature in Handlers; write %s", w.Name, w.Want)
	}
	return diags
}

// relative names a file as one would from where the command was run.
func relative(name string) string {
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return name
}

func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
