package compare

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/bench/internal/candidates"
	"github.com/idemgen/idemgen/bench/internal/netdelay"
)

// childVariable names what this executable is to be, started again.
const childVariable = "IDEMGEN_BENCH_CHILD"

// Child is to be called first in main. Where the process is a child of the
// benchmark, it does that one's work and doesn't return.
func Child() {
	work := map[string]func([]string) error{"serve": serve, "delay": delay}[os.Getenv(childVariable)]
	if work == nil {
		return
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // it ends when the parent does
		os.Exit(0)
	}()
	if err := work(os.Args[1:]); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve is a candidate's server.
func serve(args []string) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	name := flags.String("candidate", "", "")
	database := flags.String("database", "", "")
	redis := flags.String("redis", "", "")
	connections := flags.Int("connections", 0, "")
	lease := flags.Duration("lease", 0, "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	candidate := candidates.Find(*name)
	if candidate == nil {
		return fmt.Errorf("no candidate %q", *name)
	}
	pool, err := newPool(context.Background(), *database, *connections)
	if err != nil {
		return err
	}
	defer pool.Close()
	listener, err := listen()
	if err != nil {
		return err
	}
	return candidate.Serve(candidates.Env{Pool: pool, Redis: *redis, Lease: *lease}, listener)
}

// delay is a network with latency.
func delay(args []string) error {
	flags := flag.NewFlagSet("delay", flag.ContinueOnError)
	to := flags.String("to", "", "")
	each := flags.Duration("each", 0, "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	listener, err := listen()
	if err != nil {
		return err
	}
	return netdelay.Serve(listener, *to, *each)
}

// listen takes a free port and tells the parent.
func listen() (net.Listener, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it lives as long as the process
	if err != nil {
		return nil, err
	}
	_, err = fmt.Println(listener.Addr())
	return listener, err
}

func newPool(ctx context.Context, database string, connections int) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(database)
	if err != nil {
		return nil, err
	}
	if connections < 1 {
		return nil, errors.New("a pool needs connections")
	}
	cfg.MaxConns = int32(connections)
	cfg.MaxConnIdleTime = time.Hour // they are kept, as in a busy service
	return pgxpool.NewWithConfig(ctx, cfg)
}
