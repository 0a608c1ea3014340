package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// storm sends duplicates of one slow request beside the writes of others.
func storm(flags *flag.FlagSet) func(context.Context, *run) error {
	s := &stormBench{}
	flags.IntVar(&s.duplicates, "duplicates", 10_000, "how many duplicates there are of the slow request")
	flags.Float64Var(&s.duplicateRate, "duplicate-rate", 1200, "how many of them come in a second")
	flags.Float64Var(&s.rate, "rate", 200, "how many writes of others come in a second")
	return s.run
}

type stormBench struct {
	duplicates          int
	duplicateRate, rate float64
}

func (s *stormBench) run(ctx context.Context, r *run) (err error) {
	r.connections = 10 // few, so that a duplicate that takes one would show
	database, drop, err := r.server.database(ctx, "storm")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, drop()) }()
	shop, err := r.serve(ctx, database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shop.stop()) }()

	duration := time.Duration(float64(s.duplicates) / s.duplicateRate * float64(time.Second))
	write := func(phase string) func(context.Context, int) error {
		return func(ctx context.Context, i int) error {
			return shop.createPet(ctx, fmt.Sprintf("%s-%d", phase, i), false)
		}
	}
	progress("measure the others alone")
	if _, err := openLoopFor(ctx, duration/4, s.rate, write("warm-up")); err != nil {
		return err
	}
	before, err := openLoopFor(ctx, duration, s.rate, write("before"))
	if err != nil {
		return err
	}

	progress("measure them beside %d duplicates", s.duplicates)
	var refused, replayed atomic.Int64
	release, first, err := holdPet(ctx, database, shop)
	if err != nil {
		return err
	}
	duplicates := make(chan error, 1)
	go func() {
		_, err := openLoopFor(ctx, duration, s.duplicateRate, func(ctx context.Context, _ int) error {
			status, err := shop.patchPet(ctx)
			switch {
			case err != nil:
				return err
			case status == http.StatusConflict:
				refused.Add(1)
			default:
				replayed.Add(1)
			}
			return nil
		})
		duplicates <- err
	}()
	during, err := openLoopFor(ctx, duration, s.rate, write("during"))
	err = errors.Join(err, <-duplicates, release(), <-first)
	if err != nil {
		return err
	}

	r.printf("## A storm of duplicates\n\n")
	r.printf("The petstore (%d connections) answers `POST /pets` with new keys, open loop at %.0f/s, alone and while duplicates of one\n", r.connections, s.rate)
	r.printf("`PATCH /pets/1`, whose handler is held up, come at %.0f/s: %d got 409, %d an answer. At most 3 x is wanted.\n\n", s.duplicateRate, refused.Load(), replayed.Load())
	r.printf("| others' writes | n | p50 | p99 | max |\n|---|---|---|---|---|\n")
	r.printf("| alone | %d | %s | %s | %s |\n", len(before), ms(before.at(.5)), ms(before.at(.99)), ms(before.at(1)))
	r.printf("| beside the storm | %d | %s | %s | %s |\n", len(during), ms(during.at(.5)), ms(during.at(.99)), ms(during.at(1)))
	r.printf("| ratio | | %.2f x | **%.2f x** | |\n\n", float64(during.at(.5))/float64(before.at(.5)), float64(during.at(.99))/float64(before.at(.99)))
	return nil
}

// holdPet locks a pet, and sends the request that waits for it.
func holdPet(ctx context.Context, database string, shop *petstore) (release func() error, answered chan error, err error) {
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return nil, nil, err
	}
	release = func() error { return conn.Close(ctx) }
	if _, err := conn.Exec(ctx, "BEGIN; SELECT FROM pets WHERE id = 1 FOR UPDATE"); err != nil {
		return nil, nil, errors.Join(err, release())
	}
	answered = make(chan error, 1)
	go func() {
		status, err := shop.patchPet(ctx)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("the slow request got %d", status)
		}
		answered <- err
	}()
	for {
		var waits bool
		err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid')").Scan(&waits)
		if err != nil || waits {
			return release, answered, err
		}
		time.Sleep(time.Millisecond)
	}
}

// patchPet sends the one request that all of the storm is of.
func (p *petstore) patchPet(ctx context.Context) (status int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPatch, p.url+"/pets/1", bytes.NewReader([]byte(`{"name":"Max"}`)))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Api-Key", "bench")
	request.Header.Set("Idempotency-Key", "storm")
	response, err := p.client.Do(request)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, errors.Join(err, response.Body.Close())
}
