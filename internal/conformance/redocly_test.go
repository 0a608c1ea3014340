//go:build conformance

package conformance

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The linter has nothing to say of an enriched document that it doesn't say of its
// source.
func TestRedocly(t *testing.T) {
	t.Parallel()
	sources, err := filepath.Glob("../enrich/testdata/*/openapi.*")
	if err != nil || len(sources) == 0 {
		t.Fatal(sources, err)
	}
	sources = append(sources, "../../examples/petstore/openapi.yaml")
	var enriched []string
	for _, source := range sources {
		enriched = append(enriched, filepath.Join(filepath.Dir(source), "api", "openapi.gen.yaml"))
	}
	before, after := lint(t, sources), lint(t, enriched)
	for i := range sources {
		for problem, n := range after[i] {
			if n > before[i][problem] {
				t.Errorf("%s: %d times, and %d times in the source: %s", enriched[i], n, before[i][problem], problem)
			}
		}
	}
}

// The linter sees a document that is broken as ours could be.
func TestRedoclyFindsMistakes(t *testing.T) {
	t.Parallel()
	const petstore = "../../examples/petstore/api/openapi.gen.yaml"
	content, err := os.ReadFile(petstore)
	if err != nil {
		t.Fatal(err)
	}
	mistakes := []struct{ name, before, after string }{
		{"a missing component", "    IdempotencyProblem:\n", "    Problem2:\n"},
		{"a wrong type", "required: true\n          description: 'Names", "required: 1\n          description: 'Names"},
		{"a header twice", "- name: Idempotency-Key\n", "- {name: Idempotency-Key, in: header, schema: {}}\n        - name: Idempotency-Key\n"},
	}
	paths := []string{petstore}
	for i, m := range mistakes {
		path := filepath.Join(t.TempDir(), strconv.Itoa(i)+".yaml")
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(content), m.before, m.after)), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	found := lint(t, paths)
	for i, m := range mistakes {
		if len(found[i+1]) <= len(found[0]) {
			t.Errorf("%s: nothing was found", m.name)
		}
	}
}

// lint counts what is found in each document, by rule and message.
func lint(t *testing.T, paths []string) []map[string]int {
	t.Helper()
	args := []string{"lint", "--extends=spec", "--extends=recommended", "--format=json", "--max-problems=10000"}
	cmd := exec.CommandContext(t.Context(), "node_modules/.bin/redocly", append(args, paths...)...)
	cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	out, _ := cmd.Output() // it fails where it finds something
	var found []map[string]int
	for reports := json.NewDecoder(bytes.NewReader(out)); reports.More(); {
		var report struct {
			Problems []struct{ RuleID, Message string }
		}
		if err := reports.Decode(&report); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		counts := make(map[string]int)
		for _, p := range report.Problems {
			counts[p.RuleID+": "+p.Message]++
		}
		found = append(found, counts)
	}
	if len(found) != len(paths) {
		t.Fatalf("%d reports of %d documents; make conformance installs the linter: %s", len(found), len(paths), out)
	}
	return found
}
