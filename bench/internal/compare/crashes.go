package compare

import (
	"context"
	"errors"
	"fmt"

	"net/http"
	"time"

	"github.com/idemgen/idemgen/bench/internal/gate"
	"github.com/idemgen/idemgen/bench/internal/load"
)

// crashes kills the server with SIGKILL after each round trip of a request,
// when what was asked is done and the server hasn't heard of it. Between the
// commit of the work and the storing of the answer is one of these points,
// wherever a candidate has such a moment.
func (t *trier) crashes(ctx context.Context) error {
	for point := 1; ; point++ {
		request := t.traffic.fresh()
		reached, err := t.crash(ctx, request, point)
		if err != nil {
			return fmt.Errorf("crash %d: %w", point, err)
		}
		if !reached { // the request has had all of its round trips
			t.trial.Points = point - 1
			break
		}
		waited, err := t.retry(ctx, request)
		if err != nil {
			return fmt.Errorf("retry after crash %d: %w", point, err)
		}
		n, err := t.done(ctx, request)
		if err != nil {
			return err
		}
		switch {
		case n == 0:
			return fmt.Errorf("crash %d: the retry got 201, and nothing was done", point)
		case n > 1:
			t.trial.Duplicated++
		}
		if waited {
			t.trial.Waited++
		}
	}
	if t.trial.Points == 0 {
		return errors.New("it could be killed nowhere")
	}
	return nil
}

// crash sends a request, and kills the server after a round trip of it.
func (t *trier) crash(ctx context.Context, request load.Request, point int) (reached bool, err error) {
	g := gate.New()
	defer g.Close()
	database, redis, err := t.behind(g)
	if err != nil {
		return false, err
	}
	// One connection, which a first request warms up.
	p, err := server{candidate: t.c.candidate, database: database, redis: redis, connections: 1, lease: trialLease}.start(ctx)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, p.kill()) }()
	if _, err := answer(ctx, t.c, p.address, 2); err != nil {
		return false, err
	}
	client, err := load.Dial(ctx, p.address)
	if err != nil {
		return false, err
	}
	defer client.Close()
	stopped := g.Arm(point)
	answered := make(chan error, 1)
	go func() {
		_, err := client.Do(request)
		answered <- err
	}()
	select {
	case <-stopped:
		return true, p.kill() // before anything else is closed
	case err := <-answered:
		return false, err
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// behind puts the gate before the database and Redis.
func (t *trier) behind(g *gate.Gate) (database, redis string, err error) {
	address, err := t.r.databaseAddress()
	if err != nil {
		return "", "", err
	}
	if address, err = g.Before(address); err != nil {
		return "", "", err
	}
	if database, err = at(t.r.urls[t.c.candidate.Name], address); err != nil || t.r.Redis == "" {
		return database, "", err
	}
	redis, err = g.Before(t.r.Redis)
	return database, redis, err
}

// retry asks a new server until it gets the answer, as a client would. waited
// says that it had to wait for the lease.
func (t *trier) retry(ctx context.Context, request load.Request) (waited bool, err error) {
	p, err := t.server(ctx)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, p.kill()) }()
	client, err := load.Dial(ctx, p.address)
	if err != nil {
		return false, err
	}
	defer client.Close()
	began := time.Now()
	for {
		got, err := client.Do(request)
		if err != nil {
			return false, err
		}
		took := time.Since(began)
		if got.Status == http.StatusCreated {
			return took > trialLease/2, nil
		}
		if took > 10*trialLease {
			return false, fmt.Errorf("it still gets %d after %s: %s", got.Status, took, got.Body)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
