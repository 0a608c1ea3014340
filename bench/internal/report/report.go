// Package report writes results for people: a table, pictures, and the data.
package report

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/idemgen/idemgen/bench/internal/compare"
)

// Write writes results.json, results.md and the pictures into a folder.
func Write(results *compare.Results, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	data, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "results.json"), append(data, '\n'), 0o644), //nolint:gosec // for all to read
		os.WriteFile(filepath.Join(dir, "results.md"), markdown(results), 0o644),    //nolint:gosec // for all to read
		charts(results, dir),
	)
}
