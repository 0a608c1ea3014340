package cli_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the committed schemas")

// The committed copies are what the command prints.
func TestCommittedSchemas(t *testing.T) {
	for name, file := range map[string]string{"config": "idemgen.schema.json", "extension": "x-idempotent.schema.json"} {
		code, stdout, stderr := run("schema", name)
		if code != 0 || stderr != "" {
			t.Fatal(code, stderr)
		}
		path := filepath.Join("../../docs/schema", file)
		if *update {
			if err := os.WriteFile(path, []byte(stdout), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		committed, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(committed) != stdout {
			t.Errorf("%s is stale; run go test ./internal/cli -run TestCommittedSchemas -update", path)
		}
	}
}
