package generate

import (
	"context"

	"github.com/idemgen/idemgen/internal/config"
	"github.com/idemgen/idemgen/internal/diag"
	recordsql "github.com/idemgen/idemgen/sql"
)

// RunWith is Run with other steps of the record table's schema.
func RunWith(ctx context.Context, configPath string, steps []string) (*Generated, *diag.Set, error) {
	return start(ctx, configPath, steps)
}

// RunDocument is Run with a record store that was made before: no document changes
// it, and sqlc is another process.
func RunDocument(configPath string, store map[string][]byte) (*Generated, *diag.Set, error) {
	cfg, diags := config.Load(configPath)
	if cfg == nil || !diags.Empty() {
		return nil, diags, nil
	}
	r := &run{cfg: cfg, diags: diags, steps: recordsql.Steps, made: &Generated{Config: cfg, Files: map[string][]byte{}, Notices: &diag.Set{}}}
	if err := r.load(); err != nil || !r.diags.Empty() {
		return nil, r.diags, err
	}
	if r.migrations(); !r.diags.Empty() {
		return nil, r.diags, nil
	}
	files, found, err := r.api(func() (map[string][]byte, *diag.Set, error) { return nil, nil, nil })
	r.diags.Merge(found)
	if err != nil || !r.diags.Empty() {
		return nil, r.diags, err
	}
	for _, made := range []map[string][]byte{files, store} {
		for name, content := range made {
			r.made.Files[name] = content
		}
	}
	if err := r.verify(); err != nil || !r.diags.Empty() {
		return nil, r.diags, err
	}
	r.record()
	return r.made, r.diags, nil
}
