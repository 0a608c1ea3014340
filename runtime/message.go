package runtime

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Message identifies what a consumer has been delivered, maybe not for the
// first time.
type Message struct {
	// Consumer is who processes it: two consumers of one message each do so
	// once. It must not be empty.
	Consumer string
	// ID identifies the message among all that the consumer gets. It must not
	// be empty.
	ID string
	// TTL is how long the message is remembered, which must be longer than the
	// broker may redeliver it. Defaults to 7 days.
	TTL time.Duration
}

// ErrInFlight says that the message is being processed at this moment, by
// another delivery of it: it must be redelivered later.
var ErrInFlight = errors.New("idem: the message is being processed by another delivery")

// Once processes a message in a transaction that remembers it: process runs,
// and commits, once per consumer and ID, however often the message is
// delivered. It returns nil for a message that was processed before, and
// ErrInFlight for one that is being processed; on any other error nothing was
// kept, or, if the database was lost at the commit, the next delivery tells.
func (e *Engine) Once(ctx context.Context, message Message, process func(ctx context.Context, tx *Tx) error) error {
	if message.Consumer == "" || message.ID == "" {
		return errors.New("idem: a message needs a consumer and an ID")
	}
	setDefault(&message.TTL, 7*24*time.Hour)
	op := &Operation{Name: message.Consumer, TTL: message.TTL}
	req := &Request{
		key: message.ID, keyed: true,
		id: newID("message", message.Consumer, message.ID), fingerprint: []byte{fingerprintVersion},
	}
	_, err := e.Run(ctx, op, req, func(ctx context.Context, tx *Tx) (Response, error) {
		if err := process(ctx, tx); err != nil {
			return nil, err
		}
		return processed, nil
	})
	var problem *Problem
	if errors.As(err, &problem) && problem.Code == CodeInFlight {
		return ErrInFlight
	}
	return err
}

// Once is Engine.Once for a consumer that has no engine.
func Once(ctx context.Context, pool Pool, store Store, message Message, process func(ctx context.Context, tx *Tx) error) error {
	e, err := New(pool, store, Config{})
	if err != nil {
		return err
	}
	return e.Once(ctx, message, process)
}

func processed(w http.ResponseWriter) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}
