package otelidem

import (
	"context"
	"slices"

	idem "github.com/idemgen/idemgen/runtime"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

const (
	operationKey = attribute.Key("idemgen.operation")
	outcomeKey   = attribute.Key("idemgen.outcome")
	storedKey    = attribute.Key("idemgen.stored")
	statusKey    = attribute.Key("http.response.status_code")
)

// Observer is an idem.Observer that measures. It is safe for concurrent use.
type Observer struct {
	instruments
	common []attribute.KeyValue
	next   idem.Observer
}

var _ idem.Observer = (*Observer)(nil)

// New returns an observer whose instruments are the meter's. It fails if the
// meter refuses one of them.
func New(meter metric.Meter, options ...Option) (*Observer, error) {
	o := &Observer{next: idem.LogObserver{}}
	for _, option := range options {
		option(o)
	}
	var err error
	o.instruments, err = newInstruments(meter)
	if err != nil {
		return nil, err
	}
	return o, nil
}

// Observe measures the event. Kinds that this package doesn't know are left to
// the next observer.
func (o *Observer) Observe(ctx context.Context, event idem.Event) {
	switch event.Kind {
	case idem.EventExecuted, idem.EventReplayed, idem.EventInFlight, idem.EventMismatch, idem.EventRefused, idem.EventFailed:
		o.request(ctx, &event)
	case idem.EventRerun:
		o.reruns.Add(ctx, 1, o.with(operationKey.String(event.Operation)))
	case idem.EventCommitLookedUp:
		o.lookups.Add(ctx, 1, o.with(operationKey.String(event.Operation), storedKey.Bool(event.Stored)))
	case idem.EventCleaned:
		o.cleanup(ctx, &event)
	}
	if o.next != nil {
		o.next.Observe(ctx, event)
	}
}

func (o *Observer) request(ctx context.Context, event *idem.Event) {
	attributes := []attribute.KeyValue{operationKey.String(event.Operation), outcomeKey.String(string(event.Kind))}
	if event.Kind == idem.EventExecuted {
		attributes = append(attributes, storedKey.Bool(event.Stored))
	}
	// A histogram is many series each time: without the status there are fewer,
	// and the outcome says nearly as much.
	o.duration.Record(ctx, event.Duration.Seconds(), o.with(attributes...))
	if event.Status != 0 {
		attributes = append(attributes, statusKey.Int(event.Status))
	}
	o.requests.Add(ctx, 1, o.with(attributes...))
}

func (o *Observer) cleanup(ctx context.Context, event *idem.Event) {
	common := o.with()
	o.deleted.Add(ctx, event.Deleted, common) // also what a pass deleted before it failed
	outcome := "failed"
	if event.Err == nil {
		outcome = "completed"
		o.expired.Record(ctx, event.Expired, common)
		o.oldestExpired.Record(ctx, event.OldestExpired.Seconds(), common)
	}
	o.cleanups.Record(ctx, event.Duration.Seconds(), o.with(outcomeKey.String(outcome)))
}

func (o *Observer) with(attributes ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(slices.Concat(o.common, attributes)...))
}
