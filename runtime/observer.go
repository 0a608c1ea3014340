package runtime

import (
	"context"
	"log/slog"
	"time"
)

// Observer is told what happens. Its method is called in the course of a
// request, by many goroutines at once: it must be quick and safe for
// concurrent use.
type Observer interface {
	Observe(ctx context.Context, event Event)
}

// EventKind says what has happened.
type EventKind string

// The kinds of events. A request to an idempotent operation ends with exactly
// one of the first six.
const (
	// EventExecuted: a handler ran, and what it answered was sent. Stored says
	// whether it was stored too.
	// It also stands for the 400 of a request whose body doesn't decode.
	EventExecuted EventKind = "executed"
	// EventReplayed: a stored answer was sent.
	EventReplayed EventKind = "replayed"
	// EventInFlight: 409, another request has the key.
	EventInFlight EventKind = "in_flight"
	// EventMismatch: 422, the key was used with another request.
	EventMismatch EventKind = "mismatch"
	// EventRefused: the request was answered before the database was touched.
	EventRefused EventKind = "refused"
	// EventFailed: 500 or 503, nothing was kept, or it isn't known.
	EventFailed EventKind = "failed"
	// EventRerun: a handler will run again, after a serialization failure or a
	// deadlock.
	EventRerun EventKind = "rerun"
	// EventCommitLookedUp: a commit's answer was lost, and the record was
	// looked up. Stored says whether it was there.
	EventCommitLookedUp EventKind = "commit_looked_up"
	// EventCleaned: a pass of the Cleaner. Deleted, Expired and OldestExpired
	// are set.
	EventCleaned EventKind = "cleaned"
)

// Event is something that has happened. It never holds a key.
type Event struct {
	Kind EventKind
	// Operation is the operation's name, or a message's consumer; empty for
	// EventCleaned.
	Operation string
	// Status is the HTTP status that was answered, 0 where there is none.
	Status int
	// Stored is for EventExecuted and EventCommitLookedUp.
	Stored bool
	// Duration is that of the whole, waiting included.
	Duration time.Duration
	// Err is what went wrong, or nil. It may hold what clients mustn't see.
	Err error
	// Deleted is how many records a pass has deleted, Expired how many expired
	// ones it has left, and OldestExpired how long ago the oldest of those
	// expired.
	Deleted, Expired int64
	OldestExpired    time.Duration
}

// LogObserver writes events to a logger: failures as errors, re-runs and
// look-ups as warnings, everything else at debug level.
type LogObserver struct {
	// Logger defaults to slog.Default().
	Logger *slog.Logger
}

// Observe logs the event.
func (o LogObserver) Observe(ctx context.Context, event Event) {
	logger := o.Logger
	if logger == nil {
		logger = slog.Default()
	}
	level := event.level()
	if !logger.Enabled(ctx, level) {
		return
	}
	logger.LogAttrs(ctx, level, "idem: "+string(event.Kind), event.attrs()...)
}

func (e *Event) level() slog.Level {
	switch {
	case e.Kind == EventFailed, e.Kind == EventCleaned && e.Err != nil:
		return slog.LevelError
	case e.Kind == EventRerun, e.Kind == EventCommitLookedUp:
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

func (e *Event) attrs() []slog.Attr {
	attrs := []slog.Attr{slog.Duration("duration", e.Duration)}
	if e.Operation != "" {
		attrs = append(attrs, slog.String("operation", e.Operation))
	}
	if e.Status != 0 {
		attrs = append(attrs, slog.Int("status", e.Status))
	}
	if e.Kind == EventExecuted || e.Kind == EventCommitLookedUp {
		attrs = append(attrs, slog.Bool("stored", e.Stored))
	}
	if e.Kind == EventCleaned {
		attrs = append(attrs, slog.Int64("deleted", e.Deleted), slog.Int64("expired", e.Expired), slog.Duration("oldest_expired", e.OldestExpired))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.Any("error", e.Err))
	}
	return attrs
}
