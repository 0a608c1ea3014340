// Package life walks one service through its life: revision after revision of its
// spec, with rows and records in its database and requests in flight.
package life

import (
	"os"
	"regexp"
	"testing"

	"github.com/idemgen/idemgen/internal/cli"
	"github.com/idemgen/idemgen/internal/sqlc"
)

// asIdemgen makes this test binary the idemgen command.
const asIdemgen = "IDEMGEN_LIFE_COMMAND"

func TestMain(m *testing.M) {
	if code, ok := sqlc.RunAsChild(); ok {
		os.Exit(code)
	}
	if os.Getenv(asIdemgen) != "" {
		os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func TestLife(t *testing.T) {
	w := begin(t)
	for i := range revisions {
		w.revise(&revisions[i])
	}
}

// Every warning that generate has is one of the walk's.
func TestLifeMeetsEveryWarning(t *testing.T) {
	content, err := os.ReadFile("../../docs/reference/deploys.md")
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]bool{}
	for _, r := range revisions {
		for _, w := range r.warns {
			met[w.rule] = true
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^## (deploy/[a-z-]+)$`).FindAllStringSubmatch(string(content), -1) {
		if !met[m[1]] {
			t.Errorf("no revision is warned of with %s", m[1])
		}
		delete(met, m[1])
	}
	for rule := range met {
		t.Errorf("%s isn't documented", rule)
	}
}
