package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// latencies are sorted.
type latencies []time.Duration

func (l latencies) at(quantile float64) time.Duration {
	if len(l) == 0 {
		return 0
	}
	return l[min(int(float64(len(l))*quantile), len(l)-1)]
}

func (l latencies) mean() time.Duration {
	var sum time.Duration
	for _, d := range l {
		sum += d
	}
	return sum / time.Duration(max(len(l), 1))
}

// closedLoop has workers who each do one request after the other, n in all or
// until ctx ends, and returns how long each took.
func closedLoop(ctx context.Context, workers, n int, request func(ctx context.Context, i int) error) (latencies, error) {
	var next atomic.Int64
	return gather(workers, func(add func(time.Duration)) error {
		for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = next.Add(1) - 1 {
			start := time.Now()
			if err := request(context.WithoutCancel(ctx), int(i)); err != nil {
				return err
			}
			add(time.Since(start))
		}
		return nil
	})
}

// openLoop sends requests at a rate, whether the ones before were answered or
// not, until ctx ends. A latency counts from when the request was due: what
// waits for a stalled service is part of it.
func openLoop(ctx context.Context, perSecond float64, request func(ctx context.Context, i int) error) (latencies, error) {
	const workers = 512 // more than are ever in flight, unless it has collapsed
	type due struct {
		i  int
		at time.Time
	}
	queue := make(chan due, 1<<20)
	go func() {
		defer close(queue)
		start := time.Now()
		for i := 0; ; i++ {
			at := start.Add(time.Duration(float64(i) / perSecond * float64(time.Second)))
			time.Sleep(time.Until(at))
			if ctx.Err() != nil {
				return
			}
			queue <- due{i, at}
		}
	}()
	return gather(workers, func(add func(time.Duration)) error {
		for d := range queue {
			if err := request(context.WithoutCancel(ctx), d.i); err != nil {
				return err
			}
			add(time.Since(d.at))
		}
		return nil
	})
}

func gather(workers int, work func(add func(time.Duration)) error) (latencies, error) {
	all := make([]latencies, workers)
	errs := make([]error, workers)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			errs[w] = work(func(d time.Duration) { all[w] = append(all[w], d) })
		})
	}
	group.Wait()
	merged := slices.Concat(all...)
	slices.Sort(merged)
	return merged, errors.Join(errs...)
}
