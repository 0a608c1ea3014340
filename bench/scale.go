package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// scale compares a petstore with few records with one with many, in alternating
// rounds, so that what else happens on the machine meets both.
func scale(flags *flag.FlagSet) func(context.Context, *run) error {
	s := &scaleBench{}
	flags.IntVar(&s.small, "small", 10_000, "how many records the small table has")
	flags.IntVar(&s.large, "large", 10_000_000, "how many records the large table has")
	flags.IntVar(&s.rounds, "rounds", 11, "how many rounds there are of each")
	flags.IntVar(&s.requests, "requests", 2000, "how many claims and replays there are in a round")
	return s.run
}

type scaleBench struct{ small, large, rounds, requests int }

// subject is one of the two.
type subject struct {
	records int
	size    string
	shop    *petstore
	conn    *pgx.Conn
	next    int // the number of the next key
	ids     [][16]byte
	costs   [measures][]time.Duration
}

// The measures, in the order of measureNames.
const (
	claim = iota
	replay
	read
	measures
)

var measureNames = [measures]string{
	"claim: `POST /pets` with a new key",
	"replay: with a key from an earlier round",
	"read of one record by id, picked at random from all (SQL alone)",
}

func (s *scaleBench) run(ctx context.Context, r *run) (err error) {
	subjects := []*subject{{records: s.small}, {records: s.large}}
	for _, sub := range subjects {
		database, drop, err := r.server.database(ctx, fmt.Sprintf("scale_%d", sub.records))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, drop()) }()
		if sub.shop, err = r.serve(ctx, database); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, sub.shop.stop()) }()
		if sub.conn, err = pgx.Connect(ctx, database); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, sub.conn.Close(ctx)) }()
		progress("load %d records", sub.records)
		if err := fill(ctx, sub.conn, 0, sub.records, time.Now()); err != nil {
			return err
		}
		if sub.size, err = size(ctx, sub.conn); err != nil {
			return err
		}
		if err := s.sample(ctx, sub); err != nil {
			return err
		}
	}
	for round := range s.rounds + 1 {
		progress("round %d of %d", round, s.rounds)
		// The first one warms up, and makes the keys that the next one replays.
		order := slices.Clone(subjects)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, sub := range order {
			if err := s.round(ctx, sub, round > 0); err != nil {
				return err
			}
		}
	}
	s.report(r, subjects)
	return nil
}

func (s *scaleBench) round(ctx context.Context, sub *subject, counts bool) error {
	first := sub.next
	sub.next += s.requests
	key := func(i int) string { return fmt.Sprintf("scale-%d", i) }
	costs := map[int]latencies{}
	var err error
	// Two workers: as many as keep this machine busy without a queue.
	if costs[claim], err = closedLoop(ctx, 2, s.requests, func(ctx context.Context, i int) error {
		return sub.shop.createPet(ctx, key(first+i), false)
	}); err != nil {
		return err
	}
	if !counts {
		return nil
	}
	if costs[replay], err = closedLoop(ctx, 2, s.requests, func(ctx context.Context, i int) error {
		return sub.shop.createPet(ctx, key(first-s.requests+i), true)
	}); err != nil {
		return err
	}
	if costs[read], err = s.read(ctx, sub); err != nil {
		return err
	}
	for measure, l := range costs {
		sub.costs[measure] = append(sub.costs[measure], l.mean())
	}
	return nil
}

// read is the engine's own read, of records from all over the table.
func (s *scaleBench) read(ctx context.Context, sub *subject) (latencies, error) {
	offset := len(sub.costs[read]) * s.requests
	return closedLoop(ctx, 1, s.requests, func(ctx context.Context, i int) error {
		var expired bool
		var status int
		var fingerprint, header, body []byte
		return sub.conn.QueryRow(ctx, "SELECT (expires_at <= now())::boolean, status, fingerprint, header, body FROM idempotency_records WHERE id = $1", sub.ids[(offset+i)%len(sub.ids)]).
			Scan(&expired, &status, &fingerprint, &header, &body)
	})
}

// sample picks records for read, once and for all: to look for them warms caches.
func (s *scaleBench) sample(ctx context.Context, sub *subject) error {
	n := s.requests * s.rounds
	percent := min(100, 200*float64(n)/float64(sub.records))
	rows, err := sub.conn.Query(ctx, fmt.Sprintf("SELECT id FROM idempotency_records TABLESAMPLE BERNOULLI (%f) ORDER BY random() LIMIT %d", percent, n))
	if err != nil {
		return err
	}
	sub.ids, err = pgx.CollectRows(rows, pgx.RowTo[[16]byte])
	return err
}

// report takes the median of the rounds' means, and of the ratios of the rounds.
func (s *scaleBench) report(r *run, subjects []*subject) {
	small, large := subjects[0], subjects[1]
	r.printf("## Claim and replay in a large table\n\n")
	r.printf("A petstore with %d records (%s) and one with %d (%s), in %d alternating rounds of %d requests each, two at a time. A cost is\n", small.records, small.size, large.records, large.size, s.rounds, s.requests)
	r.printf("the median over the rounds of the mean latency. At most 1.3 x is wanted.\n\n")
	r.printf("| | %d records | %d records | ratio | ratio of single rounds |\n|---|---|---|---|---|\n", small.records, large.records)
	for m := range measures {
		var ratios []float64
		for i := range small.costs[m] {
			ratios = append(ratios, float64(large.costs[m][i])/float64(small.costs[m][i]))
		}
		slices.Sort(ratios)
		a, b := median(small.costs[m]), median(large.costs[m])
		r.printf("| %s | %s | %s | **%.2f x** | %.2f to %.2f |\n", measureNames[m], ms(a), ms(b), float64(b)/float64(a), ratios[0], ratios[len(ratios)-1])
	}
	r.printf("\n")
}

func median(l []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(l))[len(l)/2]
}
