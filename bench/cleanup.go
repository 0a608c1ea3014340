package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// cleanup serves writes at half of the capacity, first alone, then while a
// second replica starts, whose cleaner finds half of the records expired. That
// replica is stopped and continued in turns, so that what else happens on the
// machine meets the writes with the cleanup as much as those without.
func cleanup(flags *flag.FlagSet) func(context.Context, *run) error {
	c := &cleanupBench{}
	flags.IntVar(&c.records, "records", 2_000_000, "how many records there are, of which half expire")
	flags.DurationVar(&c.capacity, "capacity", 10*time.Second, "how long the capacity is measured")
	flags.DurationVar(&c.baseline, "baseline", 30*time.Second, "how long the writes are measured before anything expires")
	flags.DurationVar(&c.slice, "slice", 3*time.Second, "how long the cleanup runs, and then pauses; at most 5s, for its statements have a timeout")
	flags.Float64Var(&c.share, "share", 0.5, "the share of the capacity at which the writes come")
	return c.run
}

type cleanupBench struct {
	records                   int
	capacity, baseline, slice time.Duration
	share                     float64
}

// sliced are the latencies of some slices of time.
type sliced []latencies

func (s sliced) all() latencies {
	all := slices.Concat(s...)
	slices.Sort(all)
	return all
}

// at is the median of what a quantile was in the slices: a stall that others
// have caused in one of them doesn't count.
func (s sliced) at(quantile float64) time.Duration {
	if len(s) == 0 { // the cleanup was over before the first pause
		return 0
	}
	var each []time.Duration
	for _, l := range s {
		each = append(each, l.at(quantile))
	}
	return median(each)
}

func (c *cleanupBench) run(ctx context.Context, r *run) (err error) {
	database, drop, err := r.server.database(ctx, "cleanup")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, drop()) }()
	writer, dropRole, err := r.withoutCleaner(ctx, database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dropRole()) }()
	shop, err := r.serve(ctx, writer)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shop.stop()) }()
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()

	progress("load %d records", c.records)
	expired := c.records / 2
	// When they are loaded and measured without cleanup, half of them expire.
	expiry := time.Now().Add(5*time.Second + time.Duration(c.records)*20*time.Microsecond + c.capacity + c.baseline)
	if err := fill(ctx, conn, expired, c.records-expired, expiry); err != nil {
		return err
	}
	table, err := size(ctx, conn)
	if err != nil {
		return err
	}

	progress("measure the capacity")
	write := func(phase string) func(context.Context, int) error {
		return func(ctx context.Context, i int) error {
			return shop.createPet(ctx, fmt.Sprintf("%s-%d", phase, i), false)
		}
	}
	enough, cancel := context.WithTimeout(ctx, c.capacity)
	defer cancel()
	full, err := closedLoop(enough, connections, 1<<30, write("capacity"))
	if err != nil {
		return err
	}
	capacity := float64(len(full)) / c.capacity.Seconds()
	rate := capacity * c.share

	progress("%.0f writes/s; measure %.0f writes/s alone", capacity, rate)
	var before sliced
	for start := time.Now(); time.Since(start) < c.baseline; {
		l, err := openLoopFor(ctx, c.slice, rate, write(fmt.Sprint("before-", len(before))))
		if err != nil {
			return err
		}
		before = append(before, l)
	}
	wait := time.Until(expiry)
	if wait < -time.Second {
		return fmt.Errorf("loading took so long that the records expired %s too early; nothing was measured", -wait)
	}
	progress("wait %s until half of the records have expired", wait.Round(time.Second))
	time.Sleep(wait)

	progress("measure %.0f writes/s with the cleanup", rate)
	with, without, took, err := c.withCleanup(ctx, r, database, conn, expiry, rate, write)
	if err != nil {
		return err
	}

	r.printf("## Cleanup beside writes\n\n")
	r.printf("%d of %d records (%s) expired and were deleted by the default Cleaner of a second replica, while the\n", expired, c.records, table)
	r.printf("petstore answered `POST /pets` with new keys, open loop, at %.0f %% of its capacity of %.0f/s\n", 100*c.share, capacity)
	r.printf("(%d connections). Latencies count from when a write was due. The replica was stopped for every second\n", connections)
	r.printf("slice of %s; p50 and p99 are the medians of the slices'.\n\n", c.slice)
	r.printf("| writes | slices | n | p50 | p99 | p99 of all slices as one |\n|---|---|---|---|---|---|\n")
	for _, row := range []struct {
		name string
		s    sliced
	}{{"before", before}, {"with cleanup", with}, {"without, in between", without}} {
		all := row.s.all()
		r.printf("| %s | %d | %d | %s | %s | %s |\n", row.name, len(row.s), len(all), ms(row.s.at(.5)), ms(row.s.at(.99)), ms(all.at(.99)))
	}
	ratio := func(a, b sliced, q float64) float64 { return float64(a.at(q)) / float64(b.at(q)) }
	r.printf("\n- %d records were deleted in %s: **%.0f rows/s**.\n", expired, took.Round(100*time.Millisecond), float64(expired)/took.Seconds())
	r.printf("- With the cleanup the writes' p99 was **%.2f x** what it was without, in between (at most 2 x is wanted), their p50 %.2f x.\n", ratio(with, without, .99), ratio(with, without, .5))
	r.printf("- Against the writes before, p99 was %.2f x with the cleanup, and %.2f x without: that is the noise, and the vacuum.\n\n", ratio(with, before, .99), ratio(without, before, .99))
	return nil
}

// withoutCleaner migrates the database and makes a role that may do all but
// delete records, which a request needs for an expired key only: so the service
// that is measured doesn't clean up by itself.
func (r *run) withoutCleaner(ctx context.Context, database string) (as string, drop func() error, err error) {
	shop, err := r.serve(ctx, database)
	if err != nil {
		return "", nil, err
	}
	if err := shop.stop(); err != nil {
		return "", nil, err
	}
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	role := fmt.Sprintf("idemgen_bench_%d", os.Getpid())
	if _, err := conn.Exec(ctx, fmt.Sprintf(`
		CREATE ROLE %[1]s LOGIN PASSWORD '%[1]s';
		GRANT ALL ON ALL TABLES IN SCHEMA public TO %[1]s;
		GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO %[1]s;
		REVOKE DELETE ON idempotency_records FROM %[1]s`, role)); err != nil {
		return "", nil, err
	}
	u, err := url.Parse(database)
	if err != nil {
		return "", nil, err
	}
	u.User = url.UserPassword(role, role)
	drop = func() error {
		conn, err := pgx.Connect(context.WithoutCancel(ctx), database)
		if err != nil {
			return err
		}
		_, err = conn.Exec(context.WithoutCancel(ctx), fmt.Sprintf("DROP OWNED BY %[1]s; DROP ROLE %[1]s", role))
		return errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
	}
	return u.String(), drop, nil
}

// withCleanup measures until the records are deleted. took is the time in which
// the cleaner ran.
func (c *cleanupBench) withCleanup(ctx context.Context, r *run, database string, conn *pgx.Conn, expiry time.Time, rate float64, write func(string) func(context.Context, int) error) (with, without sliced, took time.Duration, err error) {
	replica, err := r.serve(ctx, database)
	if err != nil {
		return nil, nil, 0, err
	}
	signal := replica.cmd.Process.Signal
	defer func() { err = errors.Join(err, signal(syscall.SIGCONT), replica.stop()) }()
	for {
		phase := len(with)
		start := time.Now()
		l, done, err := c.untilDeleted(ctx, conn, expiry, rate, write(fmt.Sprint("with-", phase)))
		if err != nil {
			return nil, nil, 0, err
		}
		took += time.Since(start)
		if len(l) > 0 {
			with = append(with, l)
		}
		if done && len(without) > 0 {
			return with, without, took, nil
		}
		if err := signal(syscall.SIGSTOP); err != nil {
			return nil, nil, 0, err
		}
		if l, err = openLoopFor(ctx, c.slice, rate, write(fmt.Sprint("without-", phase))); err != nil {
			return nil, nil, 0, err
		}
		without = append(without, l)
		if done {
			return with, without, took, nil
		}
		if err := signal(syscall.SIGCONT); err != nil {
			return nil, nil, 0, err
		}
	}
}

// untilDeleted measures one slice, or less if no expired record is left.
func (c *cleanupBench) untilDeleted(ctx context.Context, conn *pgx.Conn, expiry time.Time, rate float64, write func(context.Context, int) error) (l latencies, done bool, err error) {
	// The cleaner begins with the oldest. From the other end, what it has deleted
	// isn't in the way of the question.
	const question = "SELECT NOT EXISTS (SELECT FROM idempotency_records WHERE expires_at <= $1 ORDER BY expires_at DESC LIMIT 1)"
	slice, stop := context.WithTimeout(ctx, c.slice)
	defer stop()
	watch := make(chan error, 1)
	go func() {
		defer stop()
		for {
			err := conn.QueryRow(ctx, question, expiry).Scan(&done)
			if err != nil || done || slice.Err() != nil {
				watch <- err
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	}()
	l, err = openLoop(slice, rate, write)
	stop()                          // if it failed
	err = errors.Join(err, <-watch) // after which done is set
	return l, done, err
}

func openLoopFor(ctx context.Context, d time.Duration, rate float64, request func(context.Context, int) error) (latencies, error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return openLoop(ctx, rate, request)
}
