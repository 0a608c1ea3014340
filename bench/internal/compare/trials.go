package compare

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/bench/internal/candidates"
	"github.com/idemgen/idemgen/bench/internal/load"
)

// Trial is what became of a candidate's guarantees when they were tried.
type Trial struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Points is how many round trips a request makes to PostgreSQL and Redis.
	// The server was killed after each of them, and the request retried.
	Points int `json:"crash_points"`
	// Duplicated is after how many of them the retry did the work again, and
	// Waited after how many it was refused until the key's lease was over.
	Duplicated int `json:"crash_duplicated"`
	Waited     int `json:"crash_waited"`
	// Keys were sent by several clients at once. Twice is how many of them were
	// executed more than once by one process, and by two.
	Keys       int `json:"concurrent_keys"`
	TwiceInOne int `json:"concurrent_twice_one_process"`
	TwiceInTwo int `json:"concurrent_twice_two_processes"`
	// OtherBody is the status that another request with a used key got.
	OtherBody int `json:"other_body_status"`
	// Replayed is false where a retry is executed again. Identical says that it
	// got the first answer's status, type and bytes.
	Replayed  bool `json:"replayed"`
	Identical bool `json:"identical"`
}

// trialLease is short, so that a key whose request has died is soon free.
const trialLease = time.Second

// trials tries the guarantees of each candidate, on orders, and of idemgen on
// reviews too, whose write is one INSERT.
func (r *runner) trials(ctx context.Context) error {
	var all []*Case
	for _, c := range r.candidates() {
		if c.Name != "autocommit" { // whose orders are those of bare
			all = append(all, &Case{Name: c.Name, Title: c.Title, candidate: c, path: orders})
		}
	}
	all = append(all, &Case{Name: caseReview, Title: "idemgen, a write of one INSERT", candidate: candidates.Find("idemgen"), path: reviews})
	for _, c := range all {
		r.Progress("try %s", c.Title)
		trial, err := r.try(ctx, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Title, err)
		}
		r.results.Trials = append(r.results.Trials, trial)
	}
	return nil
}

func (r *runner) try(ctx context.Context, c *Case) (Trial, error) {
	conn, err := pgx.Connect(ctx, r.urls[c.candidate.Name])
	if err != nil {
		return Trial{}, err
	}
	defer func() { _ = conn.Close(ctx) }() // it has done its work
	t := &trier{r: r, c: c, conn: conn, traffic: newTraffic(c, nil), trial: Trial{Name: c.Name, Title: c.Title}}
	err = t.run(ctx)
	return t.trial, err
}

type trier struct {
	r       *runner
	c       *Case
	conn    *pgx.Conn
	traffic *traffic
	trial   Trial
}

func (t *trier) run(ctx context.Context) error {
	for _, try := range []func(context.Context) error{t.crashes, t.duplicates, t.retries} {
		if err := try(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (t *trier) server(ctx context.Context) (*process, error) {
	return server{candidate: t.c.candidate, database: t.r.urls[t.c.candidate.Name], redis: t.r.Redis, connections: t.r.Connections, lease: trialLease}.start(ctx)
}

// done is how often a request was executed.
func (t *trier) done(ctx context.Context, request load.Request) (n int, err error) {
	statement := "SELECT count(*) FROM orders WHERE reference = $1"
	if t.c.path == reviews {
		statement = "SELECT count(*) FROM reviews WHERE text = $1"
	}
	err = t.conn.QueryRow(ctx, statement, request.Key).Scan(&n)
	return n, err
}

// duplicates sends keys, each by several clients at once, to one process and
// to two.
func (t *trier) duplicates(ctx context.Context) error {
	const keys, clients = 20, 8
	t.trial.Keys = keys
	one, err := t.server(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = one.kill() }() // or it ends with us
	two, err := t.server(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = two.kill() }()
	for range keys {
		for _, try := range []struct {
			processes []*process
			twice     *int
		}{{[]*process{one}, &t.trial.TwiceInOne}, {[]*process{one, two}, &t.trial.TwiceInTwo}} {
			request := t.traffic.fresh()
			if err := atOnce(ctx, request, try.processes, clients); err != nil {
				return err
			}
			n, err := t.done(ctx, request)
			if err != nil {
				return err
			}
			if n == 0 {
				return fmt.Errorf("key %s: none of %d duplicates was executed", request.Key, clients)
			}
			if n > 1 {
				*try.twice++
			}
		}
	}
	return nil
}

// atOnce sends a request from several clients, which are connected already.
func atOnce(ctx context.Context, request load.Request, processes []*process, clients int) error {
	errs := make([]error, clients)
	start := make(chan struct{})
	var ready, done sync.WaitGroup
	for i := range clients {
		ready.Add(1)
		done.Go(func() {
			client, err := load.Dial(ctx, processes[i%len(processes)].address)
			ready.Done()
			if err != nil {
				errs[i] = err
				return
			}
			defer client.Close()
			<-start
			_, errs[i] = client.Do(request) // what it answers is its business
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// retries sends a request, the same again, and another with its key.
func (t *trier) retries(ctx context.Context) error {
	one, err := t.server(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = one.kill() }() // or it ends with us
	client, err := load.Dial(ctx, one.address)
	if err != nil {
		return err
	}
	defer client.Close()
	request := t.traffic.fresh()
	first, err := client.Do(request)
	if err != nil {
		return err
	}
	if first.Status != http.StatusCreated {
		return fmt.Errorf("a first request got %d: %s", first.Status, first.Body)
	}
	second, err := client.Do(request)
	if err != nil {
		return err
	}
	n, err := t.done(ctx, request)
	if err != nil {
		return err
	}
	t.trial.Replayed = n == 1 && second.Status == first.Status
	t.trial.Identical = second.Status == first.Status && bytes.Equal(second.Body, first.Body) &&
		second.Header.Get("Content-Type") == first.Header.Get("Content-Type")

	request.Body = t.traffic.fresh().Body
	other, err := client.Do(request)
	t.trial.OtherBody = other.Status
	return err
}
