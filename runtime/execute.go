package runtime

import (
	"context"
	"errors"
	"fmt"
)

var (
	errNoResponse = errors.New("the handler returned neither a response nor an error")
	errDeadline   = errors.New("the handler has outlived its deadline")
	errUndone     = errors.New("the handler called Rollback on the request's transaction")
)

// execute runs the handler and renders its response, all before anything is
// committed. The handler goes on when the client hangs up: its answer waits
// for the retry. Only its deadline ends it.
func (s *session) execute(ctx context.Context, handler Handler) (*Stored, error) {
	tx := s.tx
	defer tx.close() // the handler's, also when it panics
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.engine.cfg.HandlerTimeout)
	defer cancel()

	response, err := handler(ctx, tx)
	if err == nil && response == nil {
		err = errNoResponse
	}
	if err != nil {
		return nil, err
	}
	answer, err := record(response) // it may still read from the transaction
	switch {
	case err != nil:
		return nil, fmt.Errorf("render the response: %w", err)
	case ctx.Err() != nil:
		return nil, errDeadline
	case tx.undone:
		return nil, errUndone
	}
	return answer, nil
}
