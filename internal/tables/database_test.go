package tables_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/idemgen/idemgen/pgtest"
)

// failer is what a test and a property have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
	Fatal(args ...any)
}

// database is a PostgreSQL of which each test takes schemas.
type database struct{ url string }

func newDatabase(t *testing.T) *database {
	t.Helper()
	return &database{pgtest.Database(t)}
}

var schemas atomic.Int64

// schema is an empty schema, for one history of migrations.
type schema struct {
	t     failer
	db    *sql.DB
	name  string
	files fstest.MapFS
}

func (d *database) schema(t failer) *schema {
	t.Helper()
	config, err := pgx.ParseConfig(d.url)
	if err != nil {
		t.Fatal(err)
	}
	s := &schema{t: t, name: fmt.Sprintf("s%d", schemas.Add(1)), files: fstest.MapFS{}}
	config.RuntimeParams["search_path"] = s.name
	s.db = stdlib.OpenDB(*config)
	s.exec("CREATE SCHEMA " + s.name)
	return s
}

// drop is for properties, which take many.
func (s *schema) drop() {
	s.exec("DROP SCHEMA " + s.name + " CASCADE")
	_ = s.db.Close()
}

func (s *schema) exec(statement string, args ...any) {
	s.t.Helper()
	if _, err := s.db.ExecContext(context.Background(), statement, args...); err != nil {
		s.t.Fatalf("%s: %v", statement, err)
	}
}

// add is one more migration.
func (s *schema) add(content []byte) {
	s.files[fmt.Sprintf("%05d_m.sql", len(s.files)+1)] = &fstest.MapFile{Data: content}
}

func (s *schema) goose(move func(*goose.Provider) error) {
	s.t.Helper()
	p, err := goose.NewProvider(goose.DialectPostgres, s.db, s.files)
	if err == nil {
		err = move(p)
	}
	if err != nil {
		var all strings.Builder
		for name, f := range s.files {
			fmt.Fprintf(&all, "== %s\n%s", name, f.Data)
		}
		s.t.Fatalf("%v\n%s", err, all.String())
	}
}

func (s *schema) up() {
	s.t.Helper()
	s.goose(func(p *goose.Provider) error { _, err := p.Up(context.Background()); return err })
}

func (s *schema) down() {
	s.t.Helper()
	s.goose(func(p *goose.Provider) error { _, err := p.Down(context.Background()); return err })
}

// strings is what a query of one text column returns, a line each.
func (s *schema) lines(query string, args ...any) string {
	s.t.Helper()
	rows, err := s.db.QueryContext(context.Background(), query, args...)
	if err != nil {
		s.t.Fatalf("%s: %v", query, err)
	}
	defer func() { _ = rows.Close() }()
	var b strings.Builder
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			s.t.Fatal(err)
		}
		b.WriteString(line + "\n")
	}
	if err := rows.Err(); err != nil {
		s.t.Fatal(err)
	}
	return b.String()
}

// catalog is what PostgreSQL knows of the schema's tables: columns, constraints
// and indexes, without the order of columns, which a later one can't have.
func (s *schema) catalog() string {
	s.t.Helper()
	text := s.lines(`
SELECT format('%s.%s %s notnull=%s identity=%s default=%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
              a.attnotnull, a.attidentity, pg_get_expr(d.adbin, d.adrelid))
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
 WHERE c.relnamespace = $1::text::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped AND c.relname <> 'goose_db_version'
UNION ALL
SELECT format('%s %s: %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
 WHERE connamespace = $1::text::regnamespace AND conrelid <> 'goose_db_version'::regclass
UNION ALL
SELECT indexdef FROM pg_indexes WHERE schemaname = $1 AND tablename <> 'goose_db_version'
ORDER BY 1`, s.name)
	return strings.ReplaceAll(text, s.name+".", "")
}
