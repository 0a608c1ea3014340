// Package life walks one service through its life: revision after revision of its
// spec, with rows and records in its database and requests in flight.
package life

import (
	"os"
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
