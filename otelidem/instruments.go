package otelidem

import (
	"errors"

	"go.opentelemetry.io/otel/metric"
)

type instruments struct {
	requests, reruns, lookups, deleted metric.Int64Counter
	duration, cleanups                 metric.Float64Histogram
	expired                            metric.Int64Gauge
	oldestExpired                      metric.Float64Gauge
}

// The boundaries, in seconds, are those that OpenTelemetry's conventions give to
// HTTP requests; a pass of the Cleaner may take minutes.
var (
	requestBuckets = []float64{0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10}
	cleanupBuckets = []float64{0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800}
)

func newInstruments(meter metric.Meter) (i instruments, err error) {
	var errs [8]error
	i.requests, errs[0] = meter.Int64Counter("idemgen.requests", metric.WithUnit("{request}"),
		metric.WithDescription("Requests and messages that have ended."))
	i.duration, errs[1] = meter.Float64Histogram("idemgen.request.duration", metric.WithUnit("s"),
		metric.WithDescription("How long requests and messages took, waiting included."),
		metric.WithExplicitBucketBoundaries(requestBuckets...))
	i.reruns, errs[2] = meter.Int64Counter("idemgen.reruns", metric.WithUnit("{rerun}"),
		metric.WithDescription("Handlers run again after a serialization failure or a deadlock."))
	i.lookups, errs[3] = meter.Int64Counter("idemgen.commit.lookups", metric.WithUnit("{lookup}"),
		metric.WithDescription("Records looked up since the commit's answer was lost."))
	i.cleanups, errs[4] = meter.Float64Histogram("idemgen.cleanup.duration", metric.WithUnit("s"),
		metric.WithDescription("How long the Cleaner's passes took."),
		metric.WithExplicitBucketBoundaries(cleanupBuckets...))
	i.deleted, errs[5] = meter.Int64Counter("idemgen.cleanup.deleted", metric.WithUnit("{record}"),
		metric.WithDescription("Expired records that the Cleaner has deleted."))
	i.expired, errs[6] = meter.Int64Gauge("idemgen.records.expired", metric.WithUnit("{record}"),
		metric.WithDescription("Expired records that the Cleaner's last pass has left."))
	i.oldestExpired, errs[7] = meter.Float64Gauge("idemgen.records.oldest_expired", metric.WithUnit("s"),
		metric.WithDescription("How long ago the oldest record that the Cleaner's last pass has left expired."))
	return i, errors.Join(errs[:]...)
}
