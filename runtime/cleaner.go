package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

// CleanerConfig configures a Cleaner. The zero value works.
type CleanerConfig struct {
	// Interval is the time between two passes, give or take a tenth, so that
	// replicas don't work at once. Defaults to 1 min.
	Interval time.Duration
	// BatchSize is how many records one statement deletes at most. Defaults to
	// 1,000.
	BatchSize int
	// BatchPause is the time between two statements of a pass, which lets
	// others at the database. Defaults to 50 ms.
	BatchPause time.Duration
	// QueryTimeout bounds each statement. Defaults to 10 s.
	QueryTimeout time.Duration
	// Logger gets failures, and what was deleted at debug level. Defaults to
	// slog.Default().
	Logger *slog.Logger
}

// Cleaner deletes expired records. Any number may run on one database: each
// skips what another has locked, so that no leader is needed. Expired records
// are never replayed, cleaned up or not: a Cleaner keeps the table small.
type Cleaner struct {
	db     DBTX
	store  Store
	cfg    CleanerConfig
	mu     sync.Mutex
	cancel context.CancelFunc
	done   chan struct{}
}

// NewCleaner returns a cleaner that works on db, such as a *pgxpool.Pool.
func NewCleaner(db DBTX, store Store, cfg CleanerConfig) *Cleaner {
	setDefault(&cfg.Interval, time.Minute)
	setDefault(&cfg.BatchPause, 50*time.Millisecond)
	setDefault(&cfg.QueryTimeout, 10*time.Second)
	if cfg.BatchSize <= 0 {
		cfg.BatchSize = 1000
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	return &Cleaner{db: db, store: store, cfg: cfg}
}

// Start begins to clean up in the background, at once and then at every
// interval, until ctx ends or Stop is called. It fails if the cleaner runs.
func (c *Cleaner) Start(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel != nil {
		return errors.New("idem: the cleaner is running already")
	}
	ctx, c.cancel = context.WithCancel(ctx)
	c.done = make(chan struct{})
	go c.loop(ctx, c.done)
	return nil
}

// Stop ends the cleaner and waits until it has, or until ctx ends. A cleaner
// that isn't running is stopped already. It can be started again.
func (c *Cleaner) Stop(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel == nil {
		return nil
	}
	c.cancel()
	select {
	case <-c.done:
		c.cancel = nil
		return nil
	case <-ctx.Done():
		return fmt.Errorf("idem: the cleaner hasn't stopped yet: %w", ctx.Err())
	}
}

// Clean does one pass and returns how many records it has deleted, also when
// it fails halfway.
func (c *Cleaner) Clean(ctx context.Context) (int64, error) {
	var total int64
	for {
		deleted, err := c.batch(ctx)
		total += deleted
		if err != nil {
			return total, fmt.Errorf("idem: delete expired records: %w", err)
		}
		if deleted < int64(c.cfg.BatchSize) {
			return total, nil
		}
		if err := sleep(ctx, c.cfg.BatchPause); err != nil {
			return total, err
		}
	}
}

func (c *Cleaner) batch(ctx context.Context) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.QueryTimeout)
	defer cancel()
	return c.store.DeleteExpired(ctx, c.db, c.cfg.BatchSize)
}

func (c *Cleaner) loop(ctx context.Context, done chan<- struct{}) {
	defer close(done)
	for {
		deleted, err := c.Clean(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			c.cfg.Logger.ErrorContext(ctx, "idem: cleanup failed", "deleted", deleted, "error", err)
		default:
			c.cfg.Logger.DebugContext(ctx, "idem: cleanup done", "deleted", deleted)
		}
		jittered := c.cfg.Interval - c.cfg.Interval/10 + rand.N(c.cfg.Interval/5+1) //nolint:gosec // jitter, not a secret
		if sleep(ctx, jittered) != nil {
			return
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
