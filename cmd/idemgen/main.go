// Command idemgen makes the operations of an OpenAPI document safe to retry.
package main

import (
	"os"

	"github.com/idemgen/idemgen/internal/cli"
	"github.com/idemgen/idemgen/internal/sqlc"
)

func main() {
	if code, ok := sqlc.RunAsChild(); ok {
		os.Exit(code)
	}
	os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
