package compare

import (
	"context"
	"errors"
	"time"

	"github.com/idemgen/idemgen/bench/internal/proc"
)

// place is where the servers of a setting are: near the database, or behind a
// network with latency.
type place struct {
	// database is the address by way of which it is reached, "" for its own.
	database string
	redis    string
	networks []*process
	servers  map[string]*process
}

func (r *runner) place(ctx context.Context, setting Setting) (*place, error) {
	p := &place{redis: r.Redis}
	if setting.Latency == 0 {
		return p, nil
	}
	address, err := r.databaseAddress()
	if err != nil {
		return nil, err
	}
	database, err := startDelay(ctx, address, setting.Latency/2)
	if err != nil {
		return nil, err
	}
	p.networks, p.database = append(p.networks, database), database.address
	if r.Redis != "" {
		redis, err := startDelay(ctx, r.Redis, setting.Latency/2)
		if err != nil {
			return nil, errors.Join(err, p.leave())
		}
		p.networks, p.redis = append(p.networks, redis), redis.address
	}
	return p, nil
}

// url is a database's, as seen from there.
func (p *place) url(database string) (string, error) {
	if p.database == "" {
		return database, nil
	}
	return at(database, p.database)
}

func (p *place) leave() (err error) {
	for _, network := range p.networks {
		err = errors.Join(err, network.kill())
	}
	return err
}

// usage is what was used up to a moment.
type usage struct {
	at               time.Time
	server, database time.Duration
	wal              int64
}

func (r *runner) measuresCPU() bool { return r.DatabasePID != 0 && proc.Measurable() }

// usage reads it. Where records are in Redis, that is a part of the database.
func (r *runner) usage(ctx context.Context, s subject) (u usage, err error) {
	u.at = time.Now()
	if u.wal, err = r.wal(ctx); err != nil || !r.measuresCPU() {
		return u, err
	}
	if u.server, err = proc.CPU(s.server.cmd.Process.Pid); err != nil {
		return u, err
	}
	if u.database, err = proc.TreeCPU(r.DatabasePID); err != nil || !s.candidate.Redis {
		return u, err
	}
	redis, err := proc.CPU(r.RedisPID)
	u.database += redis
	return u, err
}
