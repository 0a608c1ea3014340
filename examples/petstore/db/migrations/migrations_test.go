package migrations_test

import (
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/examples/petstore/db/migrations"
	"github.com/idemgen/idemgen/pgtest"
)

func TestReplicasMigrateAtOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	var replicas sync.WaitGroup
	for range 8 {
		replicas.Go(func() {
			pool, err := pgxpool.New(t.Context(), url)
			if err != nil {
				t.Error(err)
				return
			}
			defer pool.Close()
			if err := migrations.Up(t.Context(), pool); err != nil {
				t.Error(err)
			}
		})
	}
	replicas.Wait()
}
