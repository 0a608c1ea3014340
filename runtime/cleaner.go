package runtime

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// maxBacklog is up to where the expired records that are left are counted: a
// larger number tells nobody more, and costs more.
const maxBacklog = 100_000

// CleanerConfig configures a Cleaner. The zero value works.
type CleanerConfig struct {
	// Interval is the time between two passes, give or take a tenth, so that
	// replicas don't work at once. Defaults to 1 min.
	Interval time.Duration
	// BatchSize is how many records one statement deletes at most. Defaults to
	// 1,000.
	BatchSize int
	// BatchPause is the time between two statements of a pass, give or take a
	// tenth, which lets others at the database. Defaults to 50 ms.
	BatchPause time.Duration
	// QueryTimeout bounds each statement. Defaults to 10 s.
	QueryTimeout time.Duration
	// Observer is told of each pass with an EventCleaned, whose Expired counts
	// up to 100,000. Defaults to LogObserver{}.
	Observer Observer
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
	if cfg.Observer == nil {
		cfg.Observer = LogObserver{}
	}
	return &Cleaner{db: db, store: store, cfg: cfg}
}

// Start begins to clean up in the background, at once and then at every
// interval, until ctx ends or Stop is called. It fails if the cleaner runs.
func (c *Cleaner) Start(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running() {
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
		return nil
	case <-ctx.Done():
		return fmt.Errorf("idem: the cleaner hasn't stopped yet: %w", ctx.Err())
	}
}

// running is false also after the context of Start has ended.
func (c *Cleaner) running() bool {
	if c.done == nil {
		return false
	}
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// Clean does one pass and returns how many records it has deleted, also when
// it fails halfway. The observer is told, unless it failed because ctx ended.
func (c *Cleaner) Clean(ctx context.Context) (int64, error) {
	event := Event{Kind: EventCleaned}
	start := time.Now()
	event.Deleted, event.Err = c.deleteExpired(ctx)
	if event.Err == nil {
		event.Expired, event.OldestExpired, event.Err = c.countExpired(ctx)
	}
	event.Duration = time.Since(start)
	if event.Err == nil || ctx.Err() == nil { // to be stopped is no failure
		c.cfg.Observer.Observe(ctx, event)
	}
	return event.Deleted, event.Err
}

func (c *Cleaner) deleteExpired(ctx context.Context) (total int64, err error) {
	var last time.Time
	for {
		deleted, err := c.batch(ctx, last)
		if wantsAnotherTry(err) && sleep(ctx, giveOrTake(c.cfg.BatchPause)) == nil {
			continue // where the default is serializable, requests may be in the way
		}
		if err != nil {
			return total, fmt.Errorf("idem: delete expired records: %w", err)
		}
		total += deleted.Count
		if deleted.Count < int64(c.cfg.BatchSize) {
			return total, nil
		}
		last = deleted.Last
		if err := sleep(ctx, giveOrTake(c.cfg.BatchPause)); err != nil {
			return total, fmt.Errorf("idem: delete expired records: %w", err)
		}
	}
}

func (c *Cleaner) batch(ctx context.Context, after time.Time) (Deleted, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.QueryTimeout)
	defer cancel()
	return c.store.DeleteExpired(ctx, c.db, after, c.cfg.BatchSize)
}

func (c *Cleaner) countExpired(ctx context.Context) (expired int64, oldest time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.QueryTimeout)
	defer cancel()
	backlog, err := c.store.CountExpired(ctx, c.db, maxBacklog)
	if err != nil {
		return 0, 0, fmt.Errorf("idem: count expired records: %w", err)
	}
	return backlog.Count, backlog.Oldest, nil
}

func (c *Cleaner) loop(ctx context.Context, done chan<- struct{}) {
	defer close(done)
	for {
		_, _ = c.Clean(ctx) // the observer knows
		if sleep(ctx, giveOrTake(c.cfg.Interval)) != nil {
			return
		}
	}
}

// giveOrTake is d, give or take a tenth.
func giveOrTake(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return d - d/10 + rand.N(d/5+1) //nolint:gosec // jitter, not a secret
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
