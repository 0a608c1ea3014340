package compare

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"

	"github.com/idemgen/idemgen/bench/internal/load"
)

// keys says what keys the requests of a case have.
type keys int

const (
	fresh  keys = iota // a new one each
	replay             // one that has its answer already
	mixed              // of 20 requests, one is a duplicate of an earlier one
)

// remembered is how many requests a duplicate may be of.
const remembered = 64

// traffic makes the requests of a case. Each worker has its own.
type traffic struct {
	c       *Case
	random  *rand.Rand
	version byte // of the UUIDs that are the keys
	past    []load.Request
}

// newTraffic never makes the same requests twice.
func newTraffic(c *Case, answered []load.Request) *traffic {
	return &traffic{c: c, random: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), version: '4', past: answered} //nolint:gosec // no secrets
}

func (t *traffic) next() load.Request {
	duplicate := t.c.keys == replay || t.c.keys == mixed && t.random.IntN(20) == 0
	if duplicate && len(t.past) > 0 {
		return t.past[t.random.IntN(len(t.past))]
	}
	r := t.fresh()
	if t.c.keys == mixed {
		if len(t.past) < remembered {
			t.past = append(t.past, r)
		} else {
			t.past[t.random.IntN(remembered)] = r
		}
	}
	return r
}

// fresh has the key in its body too, so that what was done can be counted.
func (t *traffic) fresh() load.Request {
	key := newKey(t.random, t.version)
	r := load.Request{Path: t.c.path, KeyHeader: t.c.candidate.KeyHeader, Key: key}
	sku := fmt.Sprintf("sku-%05d", t.random.IntN(10_000))
	if t.c.path == orders {
		r.Body = fmt.Sprintf(`{"sku":"%s","quantity":1,"reference":"%s"}`, sku, key)
	} else {
		r.Body = fmt.Sprintf(`{"sku":"%s","stars":5,"text":"%s"}`, sku, key)
	}
	return r
}

// answer sends n new requests, one after the other, so that they can be
// replayed.
func answer(ctx context.Context, c *Case, address string, n int) ([]load.Request, error) {
	client, err := load.Dial(ctx, address)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	answered, t := make([]load.Request, n), newTraffic(c, nil)
	for i := range answered {
		answered[i] = t.fresh()
		got, err := client.Do(answered[i])
		if err != nil {
			return nil, err
		}
		if got.Status != http.StatusCreated {
			return nil, fmt.Errorf("%s: %d: %s", c.Title, got.Status, got.Body)
		}
	}
	return answered, nil
}

// replayedBody is the length of the body that a request was answered with.
func replayedBody(ctx context.Context, address string, request load.Request) (int, error) {
	client, err := load.Dial(ctx, address)
	if err != nil {
		return 0, err
	}
	defer client.Close()
	got, err := client.Do(request)
	return len(got.Body), err
}
