// Command orders serves the API of openapi.yaml. It is the service of a tutorial, as it is before idemgen.
package main

import (
	"context"
	"log"
	"net/http"
	"os"

	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/orders/api"
	"example.com/orders/db/migrations"
)

//go:generate oapi-codegen -config oapi-codegen.yaml openapi.yaml
//go:generate sqlc generate

// customers has the API keys of two customers, for the tutorial.
var customers = map[string]string{"key-of-ada": "ada", "key-of-bob": "bob"}

func main() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	if len(os.Args) > 1 && os.Args[1] == "migrate" {
		if err := migrations.Up(ctx, pool); err != nil {
			log.Fatal(err)
		}
		return
	}
	handler := api.Handler(api.NewStrictHandler(&service{pool}, nil))
	log.Fatal(http.ListenAndServe(os.Getenv("ADDR"), authenticate(customers, handler)))
}
