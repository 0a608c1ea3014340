package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/bench/internal/compare"
)

// The servers that are compared are this executable, started again.
func TestMain(m *testing.M) {
	compare.Child()
	os.Exit(m.Run())
}

// The benchmarks run, in small: what they print then means nothing.
func TestSmoke(t *testing.T) {
	for want, args := range map[string][]string{
		"200 records were deleted in": {"cleanup", "-records", "400", "-capacity", "500ms", "-baseline", "500ms"},
		"beside the storm":            {"storm", "-duplicates", "500", "-duplicate-rate", "500"},
		"| claim: ":                   {"scale", "-small", "100", "-large", "1000", "-rounds", "2", "-requests", "20"},
	} {
		t.Run(args[0], func(t *testing.T) {
			var out bytes.Buffer
			if err := start(t.Context(), args, &out); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %q in\n%s", want, out.String())
			}
			t.Log("\n" + out.String())
		})
	}
}

// Every candidate is measured in every setting and its guarantees are tried;
// what the numbers are means nothing, but what idemgen guarantees does.
func TestCompareSmoke(t *testing.T) {
	out := t.TempDir()
	args := []string{"compare", "-out", out, "-rounds", "1", "-warm-up", "50ms", "-duration", "200ms", "-connections", "4",
		"-records", "2000", "-large", "20000", "-wal-requests", "200", "-storm", "200"}
	if err := start(t.Context(), args, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"results.md", "throughput.svg", "throughput-far.svg", "cpu.svg", "latency.svg"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s is missing or empty: %v", name, err)
		}
	}
	data, err := os.ReadFile(filepath.Join(out, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	var results compare.Results
	if err := json.Unmarshal(data, &results); err != nil {
		t.Fatal(err)
	}
	for _, note := range results.Notes {
		t.Log(note)
	}
	for _, trial := range results.Trials {
		if strings.Contains(trial.Name, "idemgen") && (trial.Duplicated > 0 || trial.Waited > 0 || trial.TwiceInOne > 0 || trial.TwiceInTwo > 0 ||
			trial.OtherBody != http.StatusUnprocessableEntity || !trial.Replayed || !trial.Identical) {
			t.Errorf("idemgen's guarantees: %+v", trial)
		}
		if trial.Name == "bare" && (trial.Duplicated == 0 || trial.TwiceInOne == 0 || trial.TwiceInTwo == 0 || trial.Replayed) {
			t.Errorf("the trials don't see what a service without idempotency does: %+v", trial)
		}
	}
	if results.Storm.Connections > 2 {
		t.Errorf("a storm of duplicates took %d connections", results.Storm.Connections)
	}
}
