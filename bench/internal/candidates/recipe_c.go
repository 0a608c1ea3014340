package candidates

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"
)

// recipeC is the Redis way: SET NX takes the key, the work is done in its
// transaction, SET stores the answer.
var recipeC = &Candidate{
	Name:      "recipe-c",
	Title:     "recipe C: SET NX, work, SET, in Redis",
	Redis:     true,
	KeyHeader: idempotencyKey,
	handler: func(env Env) (http.Handler, error) {
		client := redis.NewClient(&redis.Options{Addr: env.Redis, PoolSize: int(env.Pool.Config().MaxConns)})
		return inRedis(client, env.Lease, strictHandler(&bareShop{env.Pool})), nil
	},
}

// redisRecord is the value of a key.
type redisRecord struct {
	Hash string
	// Code is 0 while the request is being processed.
	Code int    `json:",omitempty"`
	Type string `json:",omitempty"`
	Body string `json:",omitempty"`
}

func inRedis(client *redis.Client, lease time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, key := r.Context(), r.Header.Get(idempotencyKey)
		hash, err := readBody(r)
		if err != nil || key == "" {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		name := "idempotency:" + user(r) + ":" + key
		processing, err := json.Marshal(redisRecord{Hash: hash})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		// With GET, SET NX says at once what is in the way.
		stored, err := client.SetArgs(ctx, name, processing, redis.SetArgs{Mode: "NX", TTL: lease, Get: true}).Result()
		switch {
		case err == nil:
			answerFromRedis(w, stored, hash)
			return
		case !errors.Is(err, redis.Nil):
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		answer := newRecorder()
		next.ServeHTTP(answer, r)
		completed, err := json.Marshal(redisRecord{Hash: hash, Code: answer.status, Type: answer.header.Get("Content-Type"), Body: answer.body.String()})
		if err == nil {
			err = client.Set(ctx, name, completed, 24*time.Hour).Err()
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		answer.send(w)
	})
}

func answerFromRedis(w http.ResponseWriter, stored, hash string) {
	var record redisRecord
	err := json.Unmarshal([]byte(stored), &record)
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	case record.Hash != hash:
		http.Error(w, "the key was used for another request", http.StatusUnprocessableEntity)
	case record.Code == 0:
		http.Error(w, "the request is being processed", http.StatusConflict)
	default:
		w.Header().Set("Content-Type", record.Type)
		w.WriteHeader(record.Code)
		_, _ = io.WriteString(w, record.Body) // the client may have hung up
	}
}
