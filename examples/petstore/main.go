// Command petstore is the example service of idemgen. See README.md.
package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/idemgen/idemgen/examples/petstore/internal/app"
)

func main() {
	if err := run(); err != nil {
		slog.Error("petstore failed", "error", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // so that a second signal ends the program at once
	return app.Run(ctx, app.ConfigFromEnv(os.Getenv), os.Stdout)
}
