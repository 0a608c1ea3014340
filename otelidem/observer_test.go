package otelidem_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/idemgen/idemgen/otelidem"
)

// observe measures events, and returns what was measured, one line a series.
func observe(t *testing.T, events []idem.Event, options ...otelidem.Option) string {
	t.Helper()
	reader := sdk.NewManualReader()
	meter := sdk.NewMeterProvider(sdk.WithReader(reader)).Meter("test")
	observer, err := otelidem.New(meter, append([]otelidem.Option{otelidem.WithNext(nil)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range events {
		observer.Observe(t.Context(), event)
	}
	var collected metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &collected); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, scope := range collected.ScopeMetrics {
		for _, m := range scope.Metrics {
			lines = append(lines, series(t, m)...)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func series(t *testing.T, m metricdata.Metrics) []string {
	t.Helper()
	var lines []string
	add := func(set attribute.Set, value string) {
		lines = append(lines, fmt.Sprintf("%s [%s] {%s} %s", m.Name, m.Unit, set.Encoded(attribute.DefaultEncoder()), value))
	}
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		for _, p := range data.DataPoints {
			add(p.Attributes, fmt.Sprint(p.Value))
		}
	case metricdata.Gauge[int64]:
		for _, p := range data.DataPoints {
			add(p.Attributes, fmt.Sprint(p.Value))
		}
	case metricdata.Gauge[float64]:
		for _, p := range data.DataPoints {
			add(p.Attributes, fmt.Sprint(p.Value))
		}
	case metricdata.Histogram[float64]:
		for _, p := range data.DataPoints {
			add(p.Attributes, fmt.Sprintf("%d times, %v in all", p.Count, p.Sum))
		}
	default:
		t.Errorf("%s is a %T", m.Name, data)
	}
	return lines
}

func wantLines(t *testing.T, got string, want ...string) {
	t.Helper()
	if got != strings.Join(want, "\n") {
		t.Errorf("measured:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	const half = 500 * time.Millisecond
	failure := errors.New("s3cret")
	got := observe(t, []idem.Event{
		{Kind: idem.EventExecuted, Operation: "pay", Status: 201, Stored: true, Duration: half},
		{Kind: idem.EventExecuted, Operation: "pay", Status: 201, Stored: true, Duration: half},
		{Kind: idem.EventExecuted, Operation: "pay", Status: 402, Stored: true, Duration: half},
		{Kind: idem.EventExecuted, Operation: "pay", Status: 429, Duration: half},
		{Kind: idem.EventReplayed, Operation: "pay", Status: 201, Duration: half},
		{Kind: idem.EventInFlight, Operation: "pay", Status: 409, Duration: half},
		{Kind: idem.EventMismatch, Operation: "pay", Status: 422, Duration: half},
		{Kind: idem.EventRefused, Operation: "pay", Status: 400, Duration: half},
		{Kind: idem.EventFailed, Operation: "pay", Status: 503, Duration: half, Err: failure},
		{Kind: idem.EventExecuted, Operation: "inbox", Stored: true, Duration: half},
	})
	wantLines(t, got,
		"idemgen.request.duration [s] {idemgen.operation=inbox,idemgen.outcome=executed,idemgen.stored=true} 1 times, 0.5 in all",
		"idemgen.request.duration [s] {idemgen.operation=pay,idemgen.outcome=executed,idemgen.stored=false} 1 times, 0.5 in all",
		"idemgen.request.duration [s] {idemgen.operation=pay,idemgen.outcome=executed,idemgen.stored=true} 3 times, 1.5 in all",
		"idemgen.request.duration [s] {idemgen.operation=pay,idemgen.outcome=failed} 1 times, 0.5 in all",
		"idemgen.request.duration [s] {idemgen.operation=pay,idemgen.outcome=in_flight} 1 times, 0.5 in all",
		"idemgen.request.duration [s] {idemgen.operation=pay,idemgen.outcome=mismatch} 1 times, 0.5 in all",
		"idemgen.request.duration [s] {idemgen.operation=pay,idemgen.outcome=refused} 1 times, 0.5 in all",
		"idemgen.request.duration [s] {idemgen.operation=pay,idemgen.outcome=replayed} 1 times, 0.5 in all",
		"idemgen.requests [{request}] {http.response.status_code=201,idemgen.operation=pay,idemgen.outcome=executed,idemgen.stored=true} 2",
		"idemgen.requests [{request}] {http.response.status_code=201,idemgen.operation=pay,idemgen.outcome=replayed} 1",
		"idemgen.requests [{request}] {http.response.status_code=400,idemgen.operation=pay,idemgen.outcome=refused} 1",
		"idemgen.requests [{request}] {http.response.status_code=402,idemgen.operation=pay,idemgen.outcome=executed,idemgen.stored=true} 1",
		"idemgen.requests [{request}] {http.response.status_code=409,idemgen.operation=pay,idemgen.outcome=in_flight} 1",
		"idemgen.requests [{request}] {http.response.status_code=422,idemgen.operation=pay,idemgen.outcome=mismatch} 1",
		"idemgen.requests [{request}] {http.response.status_code=429,idemgen.operation=pay,idemgen.outcome=executed,idemgen.stored=false} 1",
		"idemgen.requests [{request}] {http.response.status_code=503,idemgen.operation=pay,idemgen.outcome=failed} 1",
		"idemgen.requests [{request}] {idemgen.operation=inbox,idemgen.outcome=executed,idemgen.stored=true} 1",
	)
}

func TestRerunsAndLookups(t *testing.T) {
	t.Parallel()
	got := observe(t, []idem.Event{
		{Kind: idem.EventRerun, Operation: "pay", Err: errors.New("s3cret")},
		{Kind: idem.EventRerun, Operation: "pay"},
		{Kind: idem.EventCommitLookedUp, Operation: "pay", Stored: true},
		{Kind: idem.EventCommitLookedUp, Operation: "pay"},
		{Kind: "of a later runtime", Operation: "pay"},
	})
	wantLines(t, got,
		"idemgen.commit.lookups [{lookup}] {idemgen.operation=pay,idemgen.stored=false} 1",
		"idemgen.commit.lookups [{lookup}] {idemgen.operation=pay,idemgen.stored=true} 1",
		"idemgen.reruns [{rerun}] {idemgen.operation=pay} 2",
	)
}

// A pass that failed counts what it has deleted, but doesn't know what is left.
func TestCleanup(t *testing.T) {
	t.Parallel()
	got := observe(t, []idem.Event{
		{Kind: idem.EventCleaned, Deleted: 1000, Expired: 70, OldestExpired: 90 * time.Second, Duration: 2 * time.Second},
		{Kind: idem.EventCleaned, Deleted: 5, Expired: 7, OldestExpired: time.Minute, Duration: time.Second},
		{Kind: idem.EventCleaned, Deleted: 3, Duration: time.Second, Err: errors.New("s3cret")},
	}, otelidem.WithAttributes(attribute.String("db.namespace", "shop")))
	wantLines(t, got,
		"idemgen.cleanup.deleted [{record}] {db.namespace=shop} 1008",
		"idemgen.cleanup.duration [s] {db.namespace=shop,idemgen.outcome=completed} 2 times, 3 in all",
		"idemgen.cleanup.duration [s] {db.namespace=shop,idemgen.outcome=failed} 1 times, 1 in all",
		"idemgen.records.expired [{record}] {db.namespace=shop} 7",
		"idemgen.records.oldest_expired [s] {db.namespace=shop} 60",
	)
}

// remember is an observer that keeps what it is told.
type remember struct {
	sync.Mutex
	events []idem.Event
}

func (r *remember) Observe(_ context.Context, event idem.Event) {
	r.Lock()
	defer r.Unlock()
	r.events = append(r.events, event)
}

func TestNextGetsEverything(t *testing.T) {
	t.Parallel()
	next := &remember{}
	events := []idem.Event{
		{Kind: idem.EventFailed, Operation: "pay", Err: errors.New("down")},
		{Kind: idem.EventCleaned, Deleted: 1},
		{Kind: "of a later runtime"},
	}
	observe(t, events, otelidem.WithNext(next))
	if !slices.Equal(next.events, events) {
		t.Errorf("the next observer got %+v, want %+v", next.events, events)
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	reader := sdk.NewManualReader()
	meter := sdk.NewMeterProvider(sdk.WithReader(reader)).Meter("test")
	observer, err := otelidem.New(meter, otelidem.WithNext(nil), otelidem.WithAttributes(attribute.Int("a", 1), attribute.Int("b", 2)))
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for range 100 {
				observer.Observe(t.Context(), idem.Event{Kind: idem.EventReplayed, Operation: fmt.Sprint(i), Status: 200})
				observer.Observe(t.Context(), idem.Event{Kind: idem.EventCleaned})
			}
		})
	}
	group.Wait()
}

// refusing is a meter that can't make gauges.
type refusing struct{ noop.Meter }

var errRefused = errors.New("no gauges here")

func (refusing) Int64Gauge(string, ...metric.Int64GaugeOption) (metric.Int64Gauge, error) {
	return nil, errRefused
}

func TestNewReports(t *testing.T) {
	t.Parallel()
	if _, err := otelidem.New(refusing{}); !errors.Is(err, errRefused) {
		t.Errorf("error %v, want the meter's", err)
	}
}

func BenchmarkObserve(b *testing.B) {
	meter := sdk.NewMeterProvider(sdk.WithReader(sdk.NewManualReader())).Meter("test")
	observer, err := otelidem.New(meter, otelidem.WithNext(nil))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		observer.Observe(b.Context(), idem.Event{Kind: idem.EventExecuted, Operation: "pay", Status: 201, Stored: true})
	}
}
