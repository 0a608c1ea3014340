package contract

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idemgen/idemgen/examples/petstore/api"
	idem "github.com/idemgen/idemgen/runtime"
)

// A handler's transaction is a real one, in a block of its own: all that pgx and
// PostgreSQL let one do, it can do, on a new connection and on one that has
// served others.
func TestTransactionIsPgxs(t *testing.T) {
	t.Parallel()
	for name, work := range map[string]func(ctx context.Context, tx *idem.Tx) error{
		"nested": func(ctx context.Context, tx *idem.Tx) error {
			outer, err := tx.Begin(ctx)
			if err != nil {
				return err
			}
			inner, err := outer.Begin(ctx)
			if err != nil {
				return err
			}
			_, err = inner.Exec(ctx, "INSERT INTO seen VALUES ('undone')")
			return errors.Join(err, inner.Rollback(ctx), outer.Commit(ctx))
		},
		"failure in a savepoint": func(ctx context.Context, tx *idem.Tx) error {
			savepoint, err := tx.Begin(ctx)
			if err != nil {
				return err
			}
			_, err = savepoint.Exec(ctx, "SELECT 1 / $1::int", 0)
			return errors.Join(wantCode(err, "22012"), savepoint.Rollback(ctx))
		},
		"savepoint in SQL": statements("SAVEPOINT s", "INSERT INTO seen VALUES ('undone')", "ROLLBACK TO s"),
		"settings": func(ctx context.Context, tx *idem.Tx) error {
			if err := wantValue(ctx, tx, "SHOW work_mem", "5MB", false); err != nil {
				return err
			}
			return errors.Join(statements("SET LOCAL work_mem TO '5MB'")(ctx, tx), wantValue(ctx, tx, "SHOW work_mem", "5MB", true))
		},
		"temporary table":     statements("CREATE TEMP TABLE tmp (n int) ON COMMIT DROP", "INSERT INTO tmp VALUES (1)"),
		"locks":               statements("LOCK TABLE seen IN ROW EXCLUSIVE MODE", "SELECT pg_advisory_xact_lock(1)"),
		"deferred constraint": statements("INSERT INTO later VALUES (1), (1)", "DELETE FROM later"),
		"cursor": func(ctx context.Context, tx *idem.Tx) error {
			if err := statements("DECLARE c CURSOR FOR SELECT generate_series(1, 3)")(ctx, tx); err != nil {
				return err
			}
			return errors.Join(wantRows(ctx, tx, 2, "FETCH 2 FROM c"), wantRows(ctx, tx, 1, "FETCH 2 FROM c"))
		},
		"copy": func(ctx context.Context, tx *idem.Tx) error {
			if _, err := tx.CopyFrom(ctx, pgx.Identifier{"later"}, []string{"n"}, pgx.CopyFromRows([][]any{{1}, {2}})); err != nil {
				return err
			}
			return errors.Join(wantRows(ctx, tx, 2, "DELETE FROM later RETURNING n"))
		},
		"batch": func(ctx context.Context, tx *idem.Tx) error {
			batch := &pgx.Batch{}
			batch.Queue("INSERT INTO later VALUES ($1)", 1)
			batch.Queue("DELETE FROM later WHERE n = $1", 1)
			return tx.SendBatch(ctx, batch).Close()
		},
		"large object": func(ctx context.Context, tx *idem.Tx) error {
			objects := tx.LargeObjects()
			oid, err := objects.Create(ctx, 0)
			if err != nil {
				return err
			}
			object, err := objects.Open(ctx, oid, pgx.LargeObjectModeWrite)
			if err != nil {
				return err
			}
			_, err = object.Write([]byte("x"))
			return errors.Join(err, object.Close(), objects.Unlink(ctx, oid))
		},
		"connection": func(ctx context.Context, tx *idem.Tx) error {
			_, err := tx.Conn().Exec(ctx, "DELETE FROM later")
			return err
		},
		"statement cache emptied": func(ctx context.Context, tx *idem.Tx) error { return tx.Conn().DeallocateAll(ctx) },
		"prepared": func(ctx context.Context, tx *idem.Tx) error {
			if _, err := tx.Prepare(ctx, "mine", "SELECT generate_series(1, $1::int)"); err != nil {
				return err
			}
			return errors.Join(wantRows(ctx, tx, 3, "mine", 3), tx.Conn().Deallocate(ctx, "mine"))
		},
		"options": func(ctx context.Context, tx *idem.Tx) error {
			return errors.Join(
				wantRows(ctx, tx, 2, "SELECT generate_series(1, $1::int)", pgx.QueryExecModeSimpleProtocol, 2),
				wantRows(ctx, tx, 2, "SELECT generate_series(1, $1::int)", pgx.QueryExecModeExec, 2),
				wantRows(ctx, tx, 2, "SELECT generate_series(1, $1::int)", pgx.QueryResultFormats{pgx.TextFormatCode}, 2),
				wantRows(ctx, tx, 2, "SELECT generate_series(1, @n::int)", pgx.NamedArgs{"n": 2}))
		},
		"two queries at once": func(ctx context.Context, tx *idem.Tx) error {
			rows, err := tx.Query(ctx, "SELECT generate_series(1, 1000)")
			if err != nil {
				return err
			}
			rows.Next()
			if _, err := tx.Exec(ctx, "DELETE FROM later"); err == nil || !strings.Contains(err.Error(), "conn busy") {
				return fmt.Errorf("a statement between the rows of another: %w", err)
			}
			rows.Close()
			return rows.Err()
		},
	} {
		if throughPooler() && name == "statement cache emptied" {
			continue // which is the pooler's, of connections that are others' too
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, setup{poolSize: 1, createPet: func(ctx context.Context, tx *idem.Tx, _ api.CreatePetRequestObject) (api.CreatePetResponseObject, error) {
				if err := work(ctx, tx); err != nil {
					return nil, err
				}
				return created("Rex"), insertPet(ctx, tx, "Rex")
			}})
			if _, err := s.db.Exec(t.Context(), "CREATE TABLE seen (what text)"); err != nil {
				t.Fatal(err)
			}
			if _, err := s.db.Exec(t.Context(), "CREATE TABLE later (n int UNIQUE DEFERRABLE INITIALLY DEFERRED)"); err != nil {
				t.Fatal(err)
			}
			const requests = 3
			for n := range requests {
				s.post(fmt.Sprint("k", n)).Want(t, http.StatusCreated)
			}
			s.wantRows(requests, requests)
			if n := s.count("SELECT count(*) FROM seen"); n != 0 {
				t.Error("what was undone is there")
			}
		})
	}
}

// A failed statement fails all that follow, as PostgreSQL has it.
func TestFailedStatementFailsTheTransaction(t *testing.T) {
	t.Parallel()
	s := start(t, setup{createPet: func(ctx context.Context, tx *idem.Tx, _ api.CreatePetRequestObject) (api.CreatePetResponseObject, error) {
		_, err := tx.Exec(ctx, "SELECT 1 / $1::int", 0)
		if err := wantCode(err, "22012"); err != nil {
			t.Error(err)
		}
		_, err = tx.Exec(ctx, "SELECT 1")
		if err := wantCode(err, "25P02"); err != nil {
			t.Error(err)
		}
		return nil, err
	}})
	for range 2 {
		s.post("k").WantProblem(t, http.StatusInternalServerError, idem.CodeInternal)
	}
	s.wantRows(0, 0)
}

func statements(all ...string) func(context.Context, *idem.Tx) error {
	return func(ctx context.Context, tx *idem.Tx) error {
		for _, sql := range all {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return fmt.Errorf("%s: %w", sql, err)
			}
		}
		return nil
	}
}

func wantCode(err error, code string) error {
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || pgErr.Code != code {
		return fmt.Errorf("got the error %w, want code %s", err, code)
	}
	return nil
}

func wantValue(ctx context.Context, tx pgx.Tx, sql, value string, equal bool) error {
	var got string
	if err := tx.QueryRow(ctx, sql).Scan(&got); err != nil {
		return err
	}
	if (got == value) != equal {
		return fmt.Errorf("%s: %s", sql, got)
	}
	return nil
}

func wantRows(ctx context.Context, tx pgx.Tx, want int, sql string, args ...any) error {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	if err == nil && len(got) != want {
		err = fmt.Errorf("%s: %d rows, want %d", sql, len(got), want)
	}
	return err
}
