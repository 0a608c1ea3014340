package life

import (
	"context"
	"os"
	"path/filepath"
	"sort"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

const migrationsDir = "db/migrations"

// rows are those of each table: each row is its columns as text.
type rows map[string][]map[string]*string

func (w *walk) rows() rows {
	w.t.Helper()
	found := rows{}
	names := query(w, pgx.RowTo[string], `SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'goose_db_version'`)
	for _, name := range names {
		found[name] = query(w, pgx.RowTo[map[string]*string],
			`SELECT (SELECT jsonb_object_agg(key, value) FROM jsonb_each_text(to_jsonb(t))) FROM `+pgx.Identifier{name}.Sanitize()+` t`)
	}
	return found
}

// sameRows holds that each row is still there, with its value in each column that
// the table has on both sides. A table that was renamed is told by renamed.
func (w *walk) sameRows(when string, before, after rows, renamed map[string]string) {
	w.t.Helper()
	for table, was := range before {
		now := table
		if to, ok := renamed[table]; ok {
			now = to
		}
		is, ok := after[now]
		if !ok && len(was) > 0 {
			w.t.Errorf("%s: the table %s is gone, with %d rows", when, table, len(was))
			continue
		}
		if len(was) != len(is) {
			w.t.Errorf("%s: %s had %d rows, and has %d", when, table, len(was), len(is))
			continue
		}
		common := shared(was, is)
		a, b := project(was, common), project(is, common)
		for i := range a {
			if a[i] != b[i] {
				w.t.Errorf("%s: a row of %s was %s, and is %s", when, table, a[i], b[i])
				break
			}
		}
	}
}

// shared names the columns of both; a table without rows has none.
func shared(a, b []map[string]*string) (columns []string) {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	for name := range a[0] {
		if _, ok := b[0][name]; ok {
			columns = append(columns, name)
		}
	}
	sort.Strings(columns)
	return columns
}

func project(list []map[string]*string, columns []string) (lines []string) {
	for _, row := range list {
		line := ""
		for _, name := range columns {
			value := "NULL"
			if v := row[name]; v != nil {
				value = "'" + *v + "'"
			}
			line += name + "=" + value + " "
		}
		lines = append(lines, line)
	}
	sort.Strings(lines)
	return lines
}

func query[T any](w *walk, scan pgx.RowToFunc[T], sql string, args ...any) []T {
	w.t.Helper()
	found, _ := w.pool.Query(w.t.Context(), sql, args...)
	list, err := pgx.CollectRows(found, scan)
	w.check(err)
	return list
}

// migrate takes the database to a version of the folder, or up to its last.
func (w *walk) migrate(version int64) {
	w.t.Helper()
	db := stdlib.OpenDBFromPool(w.pool)
	defer func() { w.check(db.Close()) }()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS(filepath.Join(w.dir, migrationsDir)))
	w.check(err)
	ctx := context.WithoutCancel(w.t.Context())
	if version == latest {
		_, err = provider.Up(ctx)
	} else {
		_, err = provider.DownTo(ctx, version)
	}
	w.check(err)
}

// latest is the last version of the folder.
const latest = -1

func (w *walk) version() int64 {
	w.t.Helper()
	return query(w, pgx.RowTo[int64], `SELECT max(version_id) FROM goose_db_version`)[0]
}
