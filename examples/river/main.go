// Command river is a service whose operation enqueues a job in its own
// transaction. See README.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/examples/river/api"
	"github.com/idemgen/idemgen/pgtest"
	idem "github.com/idemgen/idemgen/runtime"
)

const stopTimeout = 10 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Getenv("DATABASE_URL"))
	stop()
	if err != nil {
		slog.Error("river failed", "error", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, databaseURL string) (err error) {
	if databaseURL == "" { // a throwaway one, to try this
		server, err := pgtest.Start(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = server.Stop() }()
		databaseURL = server.URL()
	}
	pool, err := pgxpool.New(ctx, databaseURL)
	if err != nil {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	defer pool.Close()
	if err := migrate(ctx, pool); err != nil {
		return err
	}
	jobs, err := newJobs(pool, func(_ context.Context, id int64, receipt ReceiptArgs) error {
		fmt.Printf("mail %d: the receipt of order %d to %s\n", id, receipt.OrderID, receipt.Email)
		return nil
	})
	if err != nil {
		return err
	}
	handler, err := api.NewHandler(pool, &Shop{jobs}, idem.Config{})
	if err != nil {
		return err
	}
	// Not ctx: it would cut off jobs at its end. Stop lets them finish.
	if err := jobs.Start(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	err = serve(ctx, handler)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return errors.Join(err, jobs.Stop(ctx))
}

func serve(ctx context.Context, handler http.Handler) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:8080")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadTimeout: 5 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	fmt.Printf("listening on http://%s\n", listener.Addr())
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return server.Shutdown(ctx)
}
