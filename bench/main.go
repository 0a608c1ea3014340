// Command bench measures services as processes of their own, over HTTP, on a
// PostgreSQL with production-like settings. What it is doing goes to stderr.
//
//	go run . compare   what idempotency costs, with idemgen and otherwise
//
// writes its results into results/. These print Markdown, about the petstore:
//
//	go run . cleanup   what a cleanup does to the writes beside it
//	go run . scale     what a large table does to claim and replay
//	go run . storm     what duplicates of one request do to the others
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/idemgen/idemgen/bench/internal/compare"
)

// run is what the benchmarks share.
type run struct {
	out    io.Writer
	server *server
	// petstore is the path of its binary.
	petstore string
	// connections is how many the service's pool has.
	connections int
}

func main() {
	compare.Child()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := start(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		_, _ = fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func start(ctx context.Context, args []string, out io.Writer) (err error) {
	if len(args) > 0 && args[0] == "compare" {
		return compareAll(ctx, args[1:])
	}
	benchmarks := map[string]func(flags *flag.FlagSet) func(context.Context, *run) error{"cleanup": cleanup, "scale": scale, "storm": storm}
	if len(args) == 0 || benchmarks[args[0]] == nil {
		return errors.New("which benchmark? compare, cleanup, scale or storm")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	database := flags.String("database", os.Getenv("DATABASE_URL"), "`URL` of a server whose user may create databases; by default one is started, with fsync on")
	root := flags.String("root", "..", "the `folder` of the module with the petstore")
	benchmark := benchmarks[args[0]](flags)
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}

	dir, remove, err := workDir()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	r := &run{out: out, connections: connections}
	progress("build the petstore")
	if r.petstore, err = build(ctx, *root, dir); err != nil {
		return err
	}
	if *database != "" {
		r.server = &server{url: *database}
	} else if r.server, err = startServer(ctx, dir); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.server.stop()) }()
	if err := r.machine(ctx, args); err != nil {
		return err
	}
	return benchmark(ctx, r)
}

// workDir makes a folder for what a run needs.
func workDir() (dir string, remove func() error, err error) {
	if dir, err = os.MkdirTemp("", "idemgen-bench-"); err != nil {
		return "", nil, err
	}
	remove = func() error { return os.RemoveAll(dir) }
	// Else the cluster's user couldn't get to its folder.
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // nothing in it is secret
		return "", nil, errors.Join(err, remove())
	}
	return dir, remove, nil
}

func progress(format string, args ...any) {
	_, _ = fmt.Fprintf(os.Stderr, format+"\n", args...)
}
