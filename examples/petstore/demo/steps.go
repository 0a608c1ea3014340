package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"
)

func (d *demo) createAndRetry() error {
	title("3. A create, and its retry: the same bytes, and one pet")
	first, err := d.createAndShow("demo-1", `{"name":"Rex"}`)
	if err != nil {
		return err
	}
	retry, err := d.createAndShow("demo-1", `{"name":"Rex"}`)
	if err != nil {
		return err
	}
	if err := expect(first.status == http.StatusCreated && same(first, retry) && retry.replayed, "a replay of the 201"); err != nil {
		return err
	}
	return d.showCount("Rex")
}

func (d *demo) concurrentDuplicates() error {
	title("4. Ten duplicates at once: one execution")
	type result struct {
		answer *answer
		err    error
	}
	results := make(chan result)
	for range 10 {
		go func() {
			a, err := d.createPet("demo-2", `{"name":"Bella"}`)
			results <- result{a, err}
		}()
	}
	var executed, replayed, inFlight int
	for range 10 {
		r := <-results
		switch {
		case r.err != nil:
			return r.err
		case r.answer.replayed:
			replayed++
		case r.answer.status == http.StatusConflict:
			inFlight++
		case r.answer.status == http.StatusCreated:
			executed++
		}
	}
	fmt.Printf("%d executed, %d replayed, %d told to retry later (409, Retry-After: 1)\n", executed, replayed, inFlight)
	if err := expect(executed == 1 && executed+replayed+inFlight == 10, "one execution"); err != nil {
		return err
	}
	return d.showCount("Bella")
}

func (d *demo) otherBody() error {
	title("5. The same key with another body: refused")
	a, err := d.createAndShow("demo-1", `{"name":"Max"}`)
	if err != nil {
		return err
	}
	if err := expect(a.status == http.StatusUnprocessableEntity, "422"); err != nil {
		return err
	}
	return nil
}

func (d *demo) killInTheMiddle() error {
	title("6. kill -9 in the middle of a request, and the retry after the restart")
	// A lock on the table holds the request up between its claim and its write.
	release, err := d.holdWrites()
	if err != nil {
		return err
	}
	defer release()
	fmt.Println(`> POST /pets  Idempotency-Key: demo-3  {"name":"Luna"}`)
	lost := make(chan error, 1)
	go func() {
		_, err := d.createPet("demo-3", `{"name":"Luna"}`)
		lost <- err
	}()
	if err := d.waitForHeldWrite(); err != nil {
		return err
	}
	fmt.Println("the handler is writing; kill -9", d.server.Process.Pid)
	if err := d.killServer(); err != nil {
		return err
	}
	if err := <-lost; err == nil {
		return errors.New("this went wrong: the killed server has answered")
	}
	fmt.Println("< no answer: the connection broke")
	release()
	if err := d.startServer(); err != nil {
		return err
	}
	first, err := d.retry("demo-3", `{"name":"Luna"}`)
	if err != nil {
		return err
	}
	again, err := d.createAndShow("demo-3", `{"name":"Luna"}`)
	if err != nil {
		return err
	}
	if err := expect(first.status == http.StatusCreated && same(first, again), "one answer after the restart"); err != nil {
		return err
	}
	return d.showCount("Luna")
}

// retry does as clients do: it waits while the key is in flight, which ends
// when PostgreSQL notices that the killed server is gone.
func (d *demo) retry(key, body string) (*answer, error) {
	for {
		a, err := d.createAndShow(key, body)
		if err != nil || a.status != http.StatusConflict {
			return a, err
		}
		time.Sleep(time.Second) // Retry-After: 1
	}
}

func (d *demo) showCount(name string) error {
	count, err := d.petsNamed(name)
	if err != nil {
		return err
	}
	fmt.Printf("pets named %s in the database: %d\n", name, count)
	return expect(count == 1, "one pet")
}

// holdWrites locks the table of pets against writes, until release.
func (d *demo) holdWrites() (release func(), err error) {
	conn, err := pgx.Connect(d.ctx, d.database)
	if err != nil {
		return nil, err
	}
	release = func() { _ = conn.Close(context.WithoutCancel(d.ctx)) }
	if _, err := conn.Exec(d.ctx, "BEGIN; LOCK TABLE pets IN SHARE MODE"); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// waitForHeldWrite waits until a write waits for the table.
func (d *demo) waitForHeldWrite() error {
	conn, err := pgx.Connect(d.ctx, d.database)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(d.ctx)) }()
	for {
		var waiting bool
		err := conn.QueryRow(d.ctx, "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'pets'::regclass AND NOT granted)").Scan(&waiting)
		if err != nil || waiting {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}
