package load

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Loop is a closed loop: each worker sends its next request when it has the
// answer to its last.
type Loop struct {
	Address string
	Workers int
	// WarmUp goes before the measured Duration.
	WarmUp, Duration time.Duration
	// Next returns a worker's next request. It is called by that worker only.
	Next func(worker int) Request
	// Begin and End are called when the measuring does so.
	Begin, End func() error
}

// Result is what a loop has seen.
type Result struct {
	Requests int
	Elapsed  time.Duration
	latency  []time.Duration
}

// Latency returns a quantile of what the answers took.
func (r *Result) Latency(quantile float64) time.Duration {
	if len(r.latency) == 0 {
		return 0
	}
	return r.latency[min(int(float64(len(r.latency))*quantile), len(r.latency)-1)]
}

// Run runs the loop. Every answer must be a 201.
func (l *Loop) Run(ctx context.Context) (_ *Result, err error) {
	var measuring, stopped atomic.Bool
	workers := make([]worker, l.Workers)
	var group sync.WaitGroup
	for i := range workers {
		group.Go(func() {
			workers[i].err = workers[i].run(ctx, l, i, &measuring, &stopped)
		})
	}
	result := &Result{}
	err = l.measure(ctx, result, &measuring)
	stopped.Store(true)
	group.Wait()
	for i := range workers {
		err = errors.Join(err, workers[i].err)
		result.latency = append(result.latency, workers[i].latency...)
	}
	if err != nil {
		return nil, err
	}
	slices.Sort(result.latency)
	result.Requests = len(result.latency)
	if result.Requests == 0 {
		return nil, errors.New("there was no answer while it was measured; measure longer")
	}
	return result, nil
}

func (l *Loop) measure(ctx context.Context, result *Result, measuring *atomic.Bool) error {
	if err := wait(ctx, l.WarmUp); err != nil {
		return err
	}
	if err := l.Begin(); err != nil {
		return err
	}
	start := time.Now()
	measuring.Store(true)
	err := wait(ctx, l.Duration)
	measuring.Store(false)
	result.Elapsed = time.Since(start)
	return errors.Join(err, l.End())
}

// Each sends n requests, of which every answer must be a 201.
func Each(ctx context.Context, address string, workers, n int, next func(worker int) Request) error {
	var left atomic.Int64
	left.Store(int64(n))
	errs := make([]error, workers)
	var group sync.WaitGroup
	for i := range workers {
		group.Go(func() {
			client, err := Dial(ctx, address)
			if err != nil {
				errs[i] = err
				return
			}
			defer client.Close()
			for errs[i] == nil && left.Add(-1) >= 0 {
				errs[i] = client.created(next(i))
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// created sends a request whose answer must be a 201.
func (c *Client) created(request Request) error {
	answer, err := c.Do(request)
	if err == nil && answer.Status != http.StatusCreated {
		err = fmt.Errorf("key %s: %d, want 201: %s", request.Key, answer.Status, answer.Body)
	}
	return err
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

type worker struct {
	latency []time.Duration
	err     error
}

func (w *worker) run(ctx context.Context, l *Loop, number int, measuring, stopped *atomic.Bool) error {
	client, err := Dial(ctx, l.Address)
	if err != nil {
		return err
	}
	defer client.Close()
	for !stopped.Load() {
		request, start := l.Next(number), time.Now()
		if err := client.created(request); err != nil {
			return err
		}
		if measuring.Load() {
			w.latency = append(w.latency, time.Since(start))
		}
	}
	return nil
}
