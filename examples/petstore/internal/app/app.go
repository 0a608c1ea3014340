// Package app puts the service together and runs it.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/examples/petstore/db/migrations"
	"github.com/idemgen/idemgen/examples/petstore/internal/auth"
	"github.com/idemgen/idemgen/examples/petstore/internal/idemdb"
	"github.com/idemgen/idemgen/examples/petstore/internal/webhook"
	"github.com/idemgen/idemgen/pgtest"
	idem "github.com/idemgen/idemgen/runtime"
)

// cleanerStopTimeout bounds how long the end waits for the cleaner's statement.
const cleanerStopTimeout = 5 * time.Second

// Run serves until ctx ends, and returns once all that it started has ended.
// When it accepts connections it says so on stdout, with the real address.
func Run(ctx context.Context, cfg Config, stdout io.Writer) (err error) {
	keys, err := auth.ParseKeys(cfg.APIKeys)
	if err != nil {
		return fmt.Errorf("API_KEYS: %w", err)
	}
	if cfg.WebhookSecret == "" {
		slog.WarnContext(ctx, "WEBHOOK_SECRET isn't set: webhooks are refused")
		cfg.WebhookSecret = webhook.NewSecret() // which nobody can sign with
	}
	webhooks, err := webhook.NewVerifier(cfg.WebhookSecret)
	if err != nil {
		return fmt.Errorf("WEBHOOK_SECRET: %w", err)
	}
	url, stop, err := database(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()

	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	defer pool.Close()
	if err := migrations.Up(ctx, pool); err != nil {
		return err
	}
	handler, err := NewHandler(pool, keys, webhooks)
	if err != nil {
		return err
	}

	cleaner := idem.NewCleaner(pool, idemdb.NewStore(), idem.CleanerConfig{})
	if err := cleaner.Start(ctx); err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanerStopTimeout)
		defer cancel()
		err = errors.Join(err, cleaner.Stop(ctx))
	}()
	return serve(ctx, cfg.Addr, handler, stdout)
}

// database is the one that is configured, or a throwaway one.
func database(ctx context.Context, cfg Config) (url string, stop func() error, err error) {
	if cfg.DatabaseURL != "" {
		return cfg.DatabaseURL, func() error { return nil }, nil
	}
	server, err := pgtest.Start(ctx)
	if err != nil {
		return "", nil, fmt.Errorf("start a throwaway PostgreSQL, since DATABASE_URL isn't set: %w", err)
	}
	return server.URL(), server.Stop, nil
}
