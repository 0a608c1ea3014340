package candidates

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// recipeA is what most articles have, as a middleware: insert the key as being
// processed, do the work, update the record with the answer. Three steps, each
// committed by itself.
var recipeA = &Candidate{
	Name:      "recipe-a",
	Title:     "recipe A: insert, work, update",
	Schema:    recipeTable,
	Table:     "idempotency_keys",
	Copies:    recipeCopies,
	KeyHeader: idempotencyKey,
	handler: func(env Env) (http.Handler, error) {
		keys := &recipeKeys{pool: env.Pool, lease: env.Lease}
		return keys.middleware(strictHandler(&bareShop{env.Pool})), nil
	},
}

const recipeTable = `
	CREATE TABLE idempotency_keys (
		user_id       text        NOT NULL,
		key           text        NOT NULL,
		request_path  text        NOT NULL,
		request_hash  text        NOT NULL,
		status        text        NOT NULL,
		locked_at     timestamptz NOT NULL DEFAULT now(),
		response_code integer,
		response_body jsonb,
		created_at    timestamptz NOT NULL DEFAULT now(),
		expires_at    timestamptz NOT NULL DEFAULT now() + interval '24 hours',
		PRIMARY KEY (user_id, key)
	);
	CREATE INDEX ON idempotency_keys (expires_at);`

const recipeCopies = `
	INSERT INTO idempotency_keys (user_id, key, request_path, request_hash, status, response_code, response_body, expires_at)
	SELECT user_id, gen_random_uuid()::text, request_path, request_hash, status, response_code, response_body, expires_at + n * interval '1 ms'
	FROM idempotency_keys, generate_series(1, $1::int) n`

type recipeKeys struct {
	pool  *pgxpool.Pool
	lease time.Duration
}

// recipeRecord is what there is under a key.
type recipeRecord struct {
	hash, status string
	locked       time.Time
	code         *int
	body         []byte
}

func (k *recipeKeys) middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, key := r.Context(), r.Header.Get(idempotencyKey)
		hash, err := readBody(r)
		if err != nil || key == "" {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		inserted, err := insertKey(ctx, k.pool, r, key, hash)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if !inserted && !k.takeOver(ctx, w, r, key, hash) {
			return
		}
		answer := newRecorder()
		next.ServeHTTP(answer, r)
		if err := completeKey(ctx, k.pool, r, key, answer); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		answer.send(w)
	})
}

// takeOver answers a duplicate, or says that the key's first request must have
// died, and this one has its place.
func (k *recipeKeys) takeOver(ctx context.Context, w http.ResponseWriter, r *http.Request, key, hash string) bool {
	record, err := readKey(ctx, k.pool, r, key)
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	case record.hash != hash:
		http.Error(w, "the key was used for another request", http.StatusUnprocessableEntity)
	case record.status == "completed":
		sendJSON(w, *record.code, record.body)
	default:
		taken, err := k.pool.Exec(ctx, `UPDATE idempotency_keys SET locked_at = now()
			WHERE user_id = $1 AND key = $2 AND status = 'processing' AND locked_at < now() - $3::interval`, user(r), key, k.lease)
		if err == nil && taken.RowsAffected() == 1 {
			return true
		}
		http.Error(w, "the request is being processed", http.StatusConflict)
	}
	return false
}

// querier is a pool or a transaction.
type querier interface {
	execer
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func insertKey(ctx context.Context, db execer, r *http.Request, key, hash string) (inserted bool, err error) {
	tag, err := db.Exec(ctx, `INSERT INTO idempotency_keys (user_id, key, request_path, request_hash, status)
		VALUES ($1, $2, $3, $4, 'processing') ON CONFLICT DO NOTHING`, user(r), key, r.URL.Path, hash)
	return tag.RowsAffected() == 1, err
}

func readKey(ctx context.Context, db querier, r *http.Request, key string) (record recipeRecord, err error) {
	err = db.QueryRow(ctx, `SELECT request_hash, status, locked_at, response_code, response_body
		FROM idempotency_keys WHERE user_id = $1 AND key = $2`, user(r), key).
		Scan(&record.hash, &record.status, &record.locked, &record.code, &record.body)
	return record, err
}

func completeKey(ctx context.Context, db execer, r *http.Request, key string, answer *recorder) error {
	tag, err := db.Exec(ctx, `UPDATE idempotency_keys SET status = 'completed', response_code = $3, response_body = $4
		WHERE user_id = $1 AND key = $2`, user(r), key, answer.status, answer.body.Bytes())
	if err == nil && tag.RowsAffected() != 1 {
		err = errors.New("the record has gone")
	}
	return err
}
