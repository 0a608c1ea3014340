package generate

import (
	"path/filepath"

	"github.com/idemgen/idemgen/internal/config"
	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/oapi"
	"github.com/idemgen/idemgen/internal/spec"
)

// LoadSpec reads the document of a configuration, with its overlays. Operations that
// the options of oapi-codegen leave out are none of it.
func LoadSpec(cfg *config.Config) (*spec.Document, *diag.Set) {
	doc, _, diags := loadSpec(cfg)
	return doc, diags
}

func loadSpec(cfg *config.Config) (*spec.Document, oapi.Options, *diag.Set) {
	path := func(name string) string { return filepath.Join(cfg.Dir, filepath.FromSlash(name)) }
	overlays := make([]spec.Overlay, 0, len(cfg.Overlays))
	for _, name := range cfg.Overlays {
		overlays = append(overlays, spec.Overlay{Path: path(name), Display: display(cfg, name)})
	}
	doc, diags := spec.Load(path(cfg.Spec), display(cfg, cfg.Spec), overlays...)
	if diags.Empty() {
		checkFilters(cfg.OAPI, doc, diags)
	}
	options := oapi.DecodeOptions(cfg.OAPI, diags)
	doc.Serve(func(op *spec.Operation) bool { return options.Serves(op.ID, op.Tags) })
	return doc, options, diags
}

// display is how messages name a path of the configuration: as one would from
// where the command was run.
func display(cfg *config.Config, name string) string {
	return filepath.Join(filepath.Dir(cfg.File), filepath.FromSlash(name))
}
