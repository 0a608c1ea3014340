package generate

import (
	"path/filepath"

	"github.com/idemgen/idemgen/internal/config"
	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/spec"
)

// Document reads the OpenAPI document of a configuration, as Run sees it.
func Document(cfg *config.Config) (*spec.Document, *diag.Set) {
	return spec.Load(filepath.Join(cfg.Dir, filepath.FromSlash(cfg.Spec)), display(cfg, cfg.Spec))
}

func display(cfg *config.Config, name string) string {
	return filepath.Join(filepath.Dir(cfg.File), filepath.FromSlash(name))
}
