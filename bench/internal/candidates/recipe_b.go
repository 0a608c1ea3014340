package candidates

import (
	"context"
	"errors"
	"net/http"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/bench/internal/shop"
	"github.com/idemgen/idemgen/bench/internal/shop/api"
	"github.com/idemgen/idemgen/bench/internal/shop/db"
)

// recipeB is recipe A in one transaction, statement by statement: the better
// articles have it. The middleware hands its transaction to the handler.
var recipeB = &Candidate{
	Name:      "recipe-b",
	Title:     "recipe B: the same in one transaction",
	Schema:    recipeTable,
	Table:     "idempotency_keys",
	Copies:    recipeCopies,
	KeyHeader: idempotencyKey,
	handler: func(env Env) (http.Handler, error) {
		return oneTransaction(env.Pool, strictHandler(txShop{})), nil
	},
}

type execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

type txKey struct{}

func oneTransaction(pool *pgxpool.Pool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := inTransaction(pool, next, r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		answer.send(w)
	})
}

func inTransaction(pool *pgxpool.Pool, next http.Handler, r *http.Request) (*recorder, error) {
	ctx, key, answer := r.Context(), r.Header.Get(idempotencyKey), newRecorder()
	hash, err := readBody(r)
	if err != nil || key == "" {
		http.Error(answer, "bad request", http.StatusBadRequest)
		return answer, nil
	}
	tx, err := pool.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback(ctx) }() // after Commit it does nothing
	// A concurrent duplicate waits here until the first has committed.
	inserted, err := insertKey(ctx, tx, r, key, hash)
	if err != nil {
		return nil, err
	}
	if !inserted {
		return answer, replayKey(ctx, tx, r, key, hash, answer)
	}
	next.ServeHTTP(answer, r.WithContext(context.WithValue(ctx, txKey{}, tx)))
	if answer.status >= http.StatusInternalServerError {
		return answer, nil
	}
	if err := completeKey(ctx, tx, r, key, answer); err != nil {
		return nil, err
	}
	return answer, tx.Commit(ctx)
}

func replayKey(ctx context.Context, tx pgx.Tx, r *http.Request, key, hash string, answer *recorder) error {
	record, err := readKey(ctx, tx, r, key)
	switch {
	case err != nil:
		return err
	case record.hash != hash:
		http.Error(answer, "the key was used for another request", http.StatusUnprocessableEntity)
	case record.code == nil:
		return errors.New("the record has no answer")
	default:
		sendJSON(answer, *record.code, record.body)
	}
	return nil
}

// txShop works in the transaction of the request's context.
type txShop struct{}

func (txShop) PlaceOrder(ctx context.Context, request api.PlaceOrderRequestObject) (api.PlaceOrderResponseObject, error) {
	return placeOrder(ctx, ctx.Value(txKey{}).(pgx.Tx), request)
}

func (txShop) CreateReview(ctx context.Context, request api.CreateReviewRequestObject) (api.CreateReviewResponseObject, error) {
	review, err := shop.CreateReview(ctx, db.New(ctx.Value(txKey{}).(pgx.Tx)), request.Body)
	if err != nil {
		return nil, err
	}
	return api.CreateReview201JSONResponse(review), nil
}
