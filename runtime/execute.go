package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

var (
	errNoResponse = errors.New("the handler returned neither a response nor an error")
	errDeadline   = errors.New("the handler has outlived its deadline")
	errUndone     = errors.New("the handler called Rollback on the request's transaction")
)

// Answered makes an error of a handler's nil response, which oapi-codegen's
// server would send as an empty 200.
func Answered[R any](response R, err error) (R, error) {
	if err == nil && any(response) == nil {
		err = errNoResponse
	}
	return response, err
}

// Reversed returns the middlewares in the order in which oapi-codegen's server
// wants them: the outermost last.
func Reversed[M any](middlewares []M) []M {
	middlewares = slices.Clone(middlewares)
	slices.Reverse(middlewares)
	return middlewares
}

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
