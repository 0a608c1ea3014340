package compare

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/bench/internal/candidates"
	"github.com/idemgen/idemgen/bench/internal/load"
)

// Storm is what happened when many duplicates of one request came at once.
type Storm struct {
	Duplicates int `json:"duplicates"`
	Refused    int `json:"refused"`
	// Connections is how many of the pool's were ever needed at once: a pool
	// opens one only when all that it has are taken.
	Connections int `json:"connections"`
}

// storm holds one order up, and sends duplicates of it to idemgen's server.
func (r *runner) storm(ctx context.Context) error {
	c := &Case{candidate: candidates.Find("idemgen"), path: orders}
	database := r.urls[c.candidate.Name]
	p, err := server{candidate: c.candidate, database: database + "&application_name=storm", connections: r.Connections}.start(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = p.kill() }() // or it ends with us
	request := newTraffic(c, nil).fresh()
	request.Body = fmt.Sprintf(`{"sku":"sku-00000","quantity":1,"reference":"%s"}`, request.Key)
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, "BEGIN; SELECT FROM products WHERE sku = 'sku-00000' FOR UPDATE"); err != nil {
		return err
	}
	first := make(chan error, 1)
	go func() { first <- send(ctx, p.address, request, http.StatusCreated) }()
	if err := r.held(ctx); err != nil {
		return err
	}

	errs := make([]error, r.Storm)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() { errs[i] = send(ctx, p.address, request, http.StatusConflict) })
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	result := Storm{Duplicates: r.Storm, Refused: r.Storm}
	if err := r.admin.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'storm'").Scan(&result.Connections); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "ROLLBACK"); err != nil {
		return err
	}
	r.results.Storm = result
	return <-first
}

// held waits until the first request waits for the product.
func (r *runner) held(ctx context.Context) error {
	for range 1000 {
		var waits bool
		err := r.admin.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'storm' AND wait_event_type = 'Lock')").Scan(&waits)
		if err != nil || waits {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
	return errors.New("the first request never came to its product")
}

func send(ctx context.Context, address string, request load.Request, want int) error {
	client, err := load.Dial(ctx, address)
	if err != nil {
		return err
	}
	defer client.Close()
	got, err := client.Do(request)
	if err == nil && got.Status != want {
		err = fmt.Errorf("a duplicate got %d, want %d: %s", got.Status, want, got.Body)
	}
	return err
}
