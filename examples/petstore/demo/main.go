// Command demo shows in the terminal, with real requests to the real example,
// what a retry-safe service does. It starts what it needs and leaves nothing
// behind.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/idemgen/idemgen/pgtest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()

	title("1. Generate: from openapi.yaml to handlers, queries and a migration")
	bin, err := os.MkdirTemp("", "idemgen-demo-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(bin) }()
	if err := prepare(ctx, bin); err != nil {
		return err
	}

	title("2. Start PostgreSQL and the petstore")
	database, err := pgtest.Start(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = database.Stop() }()
	d := &demo{ctx: ctx, binary: bin + "/petstore", database: database.URL()}
	if err := d.startServer(); err != nil {
		return err
	}
	defer d.stopServer()

	for _, step := range []func() error{d.createAndRetry, d.concurrentDuplicates, d.otherBody, d.killInTheMiddle} {
		if err := step(); err != nil {
			return err
		}
	}
	d.stopServer()
	if err := database.Stop(); err != nil {
		return err
	}
	title("Done")
	fmt.Printf("One pet for each key, whatever was sent how often. Server, database and files are gone; it took %s.\n",
		time.Since(began).Round(100*time.Millisecond))
	return nil
}

// title is in bold on a terminal that wants it.
func title(text string) {
	info, err := os.Stdout.Stat()
	if err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == "" {
		text = "\033[1m" + text + "\033[0m"
	}
	fmt.Printf("\n%s\n", text)
}
