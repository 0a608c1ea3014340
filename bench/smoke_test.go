package main

import (
	"bytes"
	"strings"
	"testing"
)

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
