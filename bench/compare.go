package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/bench/internal/compare"
	"github.com/idemgen/idemgen/bench/internal/report"
)

// compareSettings are for a cluster of our own: room for the pools of all
// candidates, and no checkpoint but those that are asked for.
var compareSettings = []string{"max_connections=500", "checkpoint_timeout=1h", "max_wal_size=16GB"}

// compareAll measures what idempotency costs in every way that is compared,
// and writes the results into a folder.
func compareAll(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	options := compare.Options{Progress: progress, Command: strings.Join(append([]string{"go run . compare"}, args...), " ")}
	database := flags.String("database", os.Getenv("DATABASE_URL"), "`URL` of a server whose user may create databases; by default one is started, with fsync on")
	out := flags.String("out", "results", "the `folder` that the results are written to")
	flags.IntVar(&options.Rounds, "rounds", 15, "how many rounds there are of each setting")
	flags.DurationVar(&options.WarmUp, "warm-up", 80*time.Millisecond, "how long a case runs in a round before it is measured")
	flags.DurationVar(&options.Duration, "duration", 300*time.Millisecond, "how long a case is measured in a round")
	flags.IntVar(&options.Connections, "connections", 32, "how many connections each server's pool has")
	flags.IntVar(&options.Records, "records", 100_000, "how many records there are when their size is measured")
	flags.IntVar(&options.Large, "large", 10_000_000, "how many records the large table has; 0 leaves it out, and saves 4 GB of disk and some minutes")
	flags.IntVar(&options.WALRequests, "wal-requests", 20_000, "over how many requests WAL is measured")
	flags.IntVar(&options.Storm, "storm", 1000, "how many duplicates of one request come at once")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, remove, err := workDir()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	s := &server{url: *database}
	if *database == "" {
		if s, err = startServer(ctx, dir, compareSettings...); err != nil {
			return err
		}
		options.DatabasePID = s.cmd.Process.Pid
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	options.DatabaseURL = s.url
	if options.Machine, err = describe(ctx, s, dir); err != nil {
		return err
	}
	redis, err := startRedis(ctx, dir)
	if err != nil {
		return err
	}
	if redis != nil {
		defer func() { err = errors.Join(err, redis.stop()) }()
		options.Redis, options.RedisPID, options.Machine.Redis = redis.address, redis.cmd.Process.Pid, redis.version
	}
	results, err := compare.Run(ctx, options)
	if err != nil {
		return err
	}
	return report.Write(results, *out)
}

func describe(ctx context.Context, s *server, dir string) (m compare.Machine, err error) {
	m = compare.Machine{
		Date: time.Now().Format(time.DateOnly), CPU: cpu(), Cores: runtime.NumCPU(),
		System: runtime.GOOS + "/" + runtime.GOARCH, Load: load(), Go: runtime.Version(),
	}
	if m.Sync, err = syncTime(dir); err != nil {
		return m, err
	}
	conn, err := pgx.Connect(ctx, s.url)
	if err != nil {
		return m, err
	}
	defer func() { _ = conn.Close(ctx) }() // it has done its work
	err = conn.QueryRow(ctx, "SELECT current_setting('server_version'), "+
		"(SELECT string_agg(s || '=' || current_setting(s), ' ') FROM unnest($1::text[]) s)",
		[]string{"fsync", "synchronous_commit", "full_page_writes", "shared_buffers", "max_wal_size", "checkpoint_timeout"}).
		Scan(&m.PostgreSQL, &m.Settings)
	return m, err
}

// syncTime is the median of what fsync takes after a write of one page.
func syncTime(dir string) (_ compare.Duration, err error) {
	file, err := os.CreateTemp(dir, "sync-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }() // the folder is removed
	var all []time.Duration
	for range 51 {
		if _, err := file.Write(make([]byte, 8<<10)); err != nil {
			return 0, err
		}
		start := time.Now()
		if err := file.Sync(); err != nil {
			return 0, fmt.Errorf("fsync: %w", err)
		}
		all = append(all, time.Since(start))
	}
	return compare.Duration(median(all)), nil
}
