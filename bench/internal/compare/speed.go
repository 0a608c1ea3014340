package compare

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/bench/internal/load"
)

// replayed is how many answered requests there are to replay.
const replayed = 500

// speed measures the cases in each setting.
func (r *runner) speed(ctx context.Context) error {
	for _, setting := range settings {
		if err := r.inSetting(ctx, setting); err != nil {
			return fmt.Errorf("%s: %w", setting.Name, err)
		}
	}
	return nil
}

// subject is a case in a setting: its server runs.
type subject struct {
	*Case
	server   *process
	answered []load.Request
}

func (r *runner) inSetting(ctx context.Context, setting Setting) (err error) {
	place, err := r.place(ctx, setting)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, place.leave()) }()
	subjects, err := r.subjects(ctx, setting, place)
	defer func() {
		for _, server := range place.servers {
			err = errors.Join(err, server.kill())
		}
	}()
	if err != nil {
		return err
	}
	result := SettingResult{Name: setting.Name, Workers: setting.Workers}
	database, err := place.url(r.DatabaseURL)
	if err != nil {
		return err
	}
	if result.RoundTrip, err = roundTrip(ctx, database); err != nil {
		return err
	}
	if setting.Latency > 0 {
		if err := r.added(ctx, setting, &result); err != nil {
			return err
		}
	}
	for _, s := range subjects {
		result.Cases = append(result.Cases, CaseResult{Name: s.Name, Title: s.Title, Base: s.base})
	}
	// So that none of the rounds meets one.
	if _, err := r.admin.Exec(ctx, "CHECKPOINT"); err != nil {
		return err
	}
	for round := range r.Rounds + 1 { // the first writes pages as a whole, and doesn't count
		r.Progress("%s: round %d of %d", setting.Name, round, r.Rounds)
		for i := range subjects {
			if round%2 == 0 { // what drifts meets all alike
				i = len(subjects) - 1 - i
			}
			measured, err := r.measure(ctx, subjects[i], setting)
			if err != nil {
				return fmt.Errorf("%s: %w", subjects[i].Title, err)
			}
			if round > 0 {
				result.Cases[i].Rounds = append(result.Cases[i].Rounds, measured)
			}
		}
	}
	relate(&result)
	r.results.Settings = append(r.results.Settings, result)
	return nil
}

// added checks what the network really adds.
func (r *runner) added(ctx context.Context, setting Setting, result *SettingResult) error {
	near, err := roundTrip(ctx, r.DatabaseURL)
	if err != nil {
		return err
	}
	result.Added = result.RoundTrip - near
	if added := time.Duration(result.Added); added < setting.Latency || added > setting.Latency*3/2 {
		r.note("The network that is to add %s to a round trip added %s.", setting.Latency, added.Round(10*time.Microsecond))
	}
	return nil
}

// relate compares each case with its base, round by round.
func relate(result *SettingResult) {
	for i := range result.Cases {
		base := result.Case(result.Cases[i].Base)
		for j := range result.Cases[i].Rounds {
			round := &result.Cases[i].Rounds[j]
			round.Relative = round.PerSecond / base.Rounds[j].PerSecond
			if cpu := base.Rounds[j].CPU(); cpu > 0 {
				round.RelativeCPU = round.CPU() / cpu
			}
		}
	}
}

// subjects starts the servers. Cases of one candidate share one.
func (r *runner) subjects(ctx context.Context, setting Setting, place *place) (subjects []subject, err error) {
	place.servers = map[string]*process{}
	for _, c := range cases(r.Redis != "") {
		if setting.mainOnly && !c.main {
			continue
		}
		s := subject{Case: c, server: place.servers[c.candidate.Name]}
		if s.server == nil {
			database, err := place.url(r.urls[c.candidate.Name])
			if err != nil {
				return nil, err
			}
			description := server{candidate: c.candidate, database: database, redis: place.redis, connections: r.Connections, lease: time.Minute}
			if s.server, err = description.start(ctx); err != nil {
				return nil, err
			}
			place.servers[c.candidate.Name] = s.server
		}
		if c.keys == replay {
			if s.answered, err = answer(ctx, c, s.server.address, replayed); err != nil {
				return nil, err
			}
		}
		subjects = append(subjects, s)
	}
	return subjects, nil
}

// measure is one case's part of a round.
func (r *runner) measure(ctx context.Context, s subject, setting Setting) (Round, error) {
	all := make([]*traffic, setting.Workers)
	for i := range all {
		all[i] = newTraffic(s.Case, s.answered)
	}
	var before, after usage
	loop := load.Loop{
		Address: s.server.address, Workers: setting.Workers, WarmUp: r.WarmUp, Duration: r.Duration,
		Next:  func(worker int) load.Request { return all[worker].next() },
		Begin: func() (err error) { before, err = r.usage(ctx, s); return err },
		End:   func() (err error) { after, err = r.usage(ctx, s); return err },
	}
	result, err := loop.Run(ctx)
	if err != nil {
		return Round{}, err
	}
	perSecond := float64(result.Requests) / result.Elapsed.Seconds()
	// Reading takes a while, so usage has a clock of its own.
	n := perSecond * after.at.Sub(before.at).Seconds()
	return Round{
		Requests:    result.Requests,
		PerSecond:   perSecond,
		P50:         milliseconds(result.Latency(.5)),
		P95:         milliseconds(result.Latency(.95)),
		P99:         milliseconds(result.Latency(.99)),
		ServerCPU:   microseconds(after.server-before.server) / n,
		DatabaseCPU: microseconds(after.database-before.database) / n,
		WAL:         float64(after.wal-before.wal) / n,
	}, nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// roundTrip is the median that an empty statement takes.
func roundTrip(ctx context.Context, database string) (Duration, error) {
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close(ctx) }() // it has done its work
	var all []float64
	for range 101 {
		start := time.Now()
		if err := conn.Ping(ctx); err != nil {
			return 0, err
		}
		all = append(all, float64(time.Since(start)))
	}
	return Duration(spread(all).Median), nil
}
