package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// A request has readTimeout to arrive and handlerTimeout for its work. What the
// engine does around the work takes the rest of writeTimeout at worst.
const (
	readTimeout     = 5 * time.Second
	handlerTimeout  = 10 * time.Second
	writeTimeout    = 30 * time.Second
	shutdownTimeout = 30 * time.Second
)

// serve answers requests until ctx ends. Then it takes no more, finishes those
// that it has, and returns nil if all of them ended in time.
func serve(ctx context.Context, addr string, handler http.Handler, stdout io.Writer) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("ADDR: %w", err)
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(slog.Default().Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	if _, err := fmt.Fprintf(stdout, "listening on http://%s\n", listener.Addr()); err != nil {
		return errors.Join(fmt.Errorf("write to stdout: %w", err), server.Close())
	}

	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("requests were cut off at the end: %w", err), server.Close())
	}
	return nil
}
