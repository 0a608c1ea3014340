package tables_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/internal/tables"
)

// values are two of each type; the second is a default, too.
var values = map[string][2]string{
	"text": {"'a'", "'b'"}, "integer": {"1", "2"}, "bigint": {"3", "4"}, "boolean": {"true", "false"},
	"timestamptz": {"'2026-01-01Z'", "now()"}, "jsonb": {`'[1]'`, `'{}'`}, "uuid": {"'00000000-0000-4000-8000-000000000001'", "gen_random_uuid()"},
	"numeric": {"1.5", "0"},
}

// drawTables is a revision of two tables, of which the second refers to the first.
func drawTables(t *rapid.T) []tables.Table {
	parents := tables.Table{Name: "parents", Operation: "createParent", Key: "id", Columns: []tables.Column{
		{Name: "id", Property: "id", Type: "bigint", NotNull: true, Identity: true},
	}}
	children := tables.Table{Name: "children", Operation: "createChild", Key: "id", Columns: []tables.Column{
		{Name: "id", Type: "bigint", NotNull: true, Identity: true},
	}}
	for i := range 5 {
		name := fmt.Sprintf("p%d", i)
		if rapid.IntRange(0, 3).Draw(t, name) == 0 {
			continue // not in this revision
		}
		c := tables.Column{
			Name: name, Property: name,
			Type:    rapid.SampledFrom([]string{"text", "text", "text", "integer", "bigint", "boolean", "timestamptz", "jsonb", "uuid", "numeric"}).Draw(t, "type"),
			NotNull: rapid.Bool().Draw(t, "notNull"),
		}
		if rapid.Bool().Draw(t, "default") {
			c.Default = values[c.Type][1]
		}
		if c.Type == "text" && rapid.Bool().Draw(t, "enum") {
			c.Enum = append([]string{"a", "b"}, rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"c", "d", "e", "'"}), 0, 3, rapid.ID).Draw(t, "values")...)
		}
		children.Columns = append(children.Columns, c)
	}
	if rapid.Bool().Draw(t, "parent") {
		c := tables.Column{Name: "parent_id", Property: "parentId", Type: "bigint", NotNull: rapid.Bool().Draw(t, "notNull")}
		if rapid.Bool().Draw(t, "reference") {
			c.References, c.Index = "parents", "children_parent_id_idx"
		}
		children.Columns = append(children.Columns, c)
	}
	children.Columns = rapid.Permutation(children.Columns).Draw(t, "order")
	if rapid.IntRange(0, 9).Draw(t, "children") == 0 {
		return []tables.Table{parents}
	}
	return []tables.Table{parents, children}
}

// insertInto is what a server of the revision may do.
func insertInto(t *rapid.T, table tables.Table) string {
	var columns, exprs []string
	for _, c := range table.Columns {
		optional := !c.NotNull || c.Default != ""
		switch {
		case c.Identity, optional && rapid.Bool().Draw(t, "omitted"):
			continue
		case c.References != "":
			exprs = append(exprs, "(SELECT min(id) FROM "+c.References+")")
		default:
			exprs = append(exprs, values[c.Type][0])
		}
		columns = append(columns, c.Name)
	}
	if columns == nil {
		return "INSERT INTO " + table.Name + " DEFAULT VALUES"
	}
	return "INSERT INTO " + table.Name + " (" + strings.Join(columns, ", ") + ") VALUES (" + strings.Join(exprs, ", ") + ")"
}

func TestRevisionsGoUpAndDown(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	rapid.Check(t, func(t *rapid.T) {
		s := db.schema(t)
		defer s.drop()
		had := drawTables(t)
		s.add(tables.Create(had))
		s.up()
		s.exec("INSERT INTO parents DEFAULT VALUES")
		var inserts []string // of all servers so far
		for range rapid.IntRange(1, 3).Draw(t, "revisions") {
			for _, table := range had {
				insert := insertInto(t, table)
				s.exec(insert)
				inserts = append(inserts, insert)
			}
			rows, before := s.rows(had), s.catalog()
			want := drawTables(t)
			change := tables.Diff(had, want, "m.sql", nil)
			if again := tables.Diff(change.Tables, want, "n.sql", nil); again.Migration != nil {
				t.Fatalf("the same is written again:\n%s", again.Migration)
			}
			if problem := tables.Problem(change.Tables); problem != "" {
				t.Fatal(problem)
			}
			if change.Migration != nil {
				s.add(change.Migration)
				s.up()
				after := s.catalog()
				s.exec(inserts[len(inserts)-1])
				s.down()
				if got := s.catalog(); got != before {
					t.Fatalf("down leaves\n%s, not\n%s\n%s", got, before, change.Migration)
				}
				got := s.rows(had)
				for _, row := range rows {
					if !slices.Contains(got, row) {
						t.Fatalf("down loses %s of\n%s\n%s", row, strings.Join(rows, "\n"), change.Migration)
					}
				}
				s.up()
				if got := s.catalog(); got != after {
					t.Fatalf("up again makes\n%s, not\n%s", got, after)
				}
			}
			for _, insert := range inserts {
				s.exec(insert)
			}
			fresh := db.schema(t)
			fresh.add(tables.Create(change.Tables))
			fresh.up()
			if got, want := fresh.catalog(), s.catalog(); got != want {
				t.Fatalf("the database has\n%s, and the lock\n%s\n%s", want, got, change.Migration)
			}
			fresh.drop()
			had = change.Tables
		}
	})
}

// rows are those of all tables.
func (s *schema) rows(list []tables.Table) []string {
	s.t.Helper()
	var all []string
	for _, table := range list {
		var columns []string
		for _, c := range table.Columns {
			columns = append(columns, c.Name)
		}
		text := s.lines("SELECT '" + table.Name + " ' || ROW(" + strings.Join(columns, ", ") + ")::text FROM " + table.Name)
		all = append(all, strings.Split(strings.TrimSpace(text), "\n")...)
	}
	return all
}
