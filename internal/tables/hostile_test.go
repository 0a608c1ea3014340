package tables_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/sqlc"
	"github.com/idemgen/idemgen/internal/tables"
)

func TestMain(m *testing.M) {
	if code, ok := sqlc.RunAsChild(); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

type object = map[string]any

// createOf is a POST that takes and answers with an object of the properties.
func createOf(id string, properties object) object {
	schema := object{"type": "object", "properties": properties}
	content := object{"application/json": object{"schema": schema}}
	return object{"post": object{
		"operationId": id, "x-idempotent": object{},
		"requestBody": object{"required": true, "content": content},
		"responses":   object{"201": object{"description": "made", "content": content}},
	}}
}

func derive(t *testing.T, paths object) *tables.Derivation {
	t.Helper()
	text, err := json.Marshal(object{"openapi": "3.1.0", "info": object{"title": "t", "version": "1"}, "paths": paths})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return tables.Derive(load(t, path), "idempotency_records")
}

// hostile are texts that a document may have anywhere.
var hostile = []string{
	`'`, `''`, `"`, `\`, `\'`, `;`, "a;\nb", "a\n-- +goose Down\nDROP TABLE pets;", "-- comment", "x; -- y", "/* ", "*/",
	"$$", "$idemgen$", "ä", "Größe", "日本語", "a\u202eb", "\u2028", "\U000e0001", "\x01", "\x1b[31m", "%s %n", "{{.}}", "a b", "a-b", "a_b", "aB", "A_B", "AB",
	"123", "3ds", "_", "__", "", "order", "user", "ORDER", "select", "xmin", "ctid", "tableoid", "id", "ID", "Id_", "column_",
	strings.Repeat("x", 200), strings.Repeat("x", 199) + "y", strings.Repeat("long_name_", 20), "'); DROP TABLE pets; --",
}

func TestHostileNamesMakeSafeSQL(t *testing.T) {
	t.Parallel()
	properties := object{}
	for i, name := range hostile {
		schema := object{"type": "string", "enum": append(slices.Clone(hostile), name), "default": name}
		if i%3 == 1 {
			schema = object{"type": "string", "default": name}
		}
		properties[name] = schema
	}
	paths := object{}
	for i, name := range hostile {
		if !strings.ContainsAny(name, "{}") {
			paths[fmt.Sprintf("/x%d/%s", i, name)] = createOf(fmt.Sprintf("op%d %s", i, name), object{name: properties[name]})
		}
	}
	paths["/all"] = createOf("all", properties)
	d := derive(t, paths)
	if len(d.Tables) != len(paths) {
		t.Fatalf("%d tables of %d creates: %v", len(d.Tables), len(paths), d.Underived)
	}
	if problem := tables.Problem(d.Tables); problem != "" {
		t.Error(problem)
	}
	s := newDatabase(t).schema(t)
	s.add(tables.Create(d.Tables))
	s.up()
	for _, table := range d.Tables {
		s.exec("INSERT INTO " + table.Name + " DEFAULT VALUES")
	}
	// The defaults are the texts themselves.
	first := d.Tables[slices.IndexFunc(d.Tables, func(t tables.Table) bool { return t.Operation == "all" })]
	for _, c := range first.Columns {
		if _, ok := properties[c.Property]; !ok || c.Default == "" {
			continue
		}
		if got := s.lines("SELECT " + c.Name + " FROM " + first.Name); got != c.Property+"\n" && c.Name != first.Key {
			t.Errorf("the default of %s is %q, not %q", c.Name, got, c.Property)
		}
	}

	// Every value is taken away and comes back, in comments and out of them.
	fewer := slices.Clone(d.Tables)
	for i := range fewer {
		fewer[i].Columns = slices.Clone(fewer[i].Columns)
		for k, c := range fewer[i].Columns {
			if c.Enum != nil {
				fewer[i].Columns[k].Enum, fewer[i].Columns[k].Default = c.Enum[:1], ""
			}
		}
	}
	before := s.catalog()
	s.add(tables.Diff(d.Tables, fewer, "00002_tables.sql", nil).Migration)
	s.up()
	if s.catalog() != before {
		t.Error("comments changed the catalog")
	}
	s.add(tables.Diff(fewer, d.Tables, "00003_tables.sql", nil).Migration)
	s.up()
	if s.catalog() != before {
		t.Error("the same values make another catalog")
	}
	s.down()
	checkModels(t, d.Tables)
}

// checkModels lets sqlc make the models: no two tables or columns may have one name
// in Go.
func checkModels(t *testing.T, list []tables.Table) {
	t.Helper()
	made, diags, err := sqlc.Generate(t.Context(), sqlc.Job{
		Config: "sqlc.yaml", Display: func(s string) string { return s },
		Files: map[string][]byte{
			"sqlc.yaml":  []byte("version: \"2\"\nsql: [{engine: postgresql, schema: schema.sql, queries: q.sql, gen: {go: {package: db, out: db, sql_package: pgx/v5}}}]\n"),
			"schema.sql": tables.Create(list),
			"q.sql":      []byte("-- name: One :one\nSELECT 1;\n"),
		},
	})
	if err != nil || !diags.Empty() {
		t.Fatal(err, diags.All())
	}
	file, err := parser.ParseFile(token.NewFileSet(), "models.go", made["db/models.go"], 0)
	if err != nil {
		t.Fatal(err)
	}
	types, structs := map[string]bool{}, 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if types[spec.Name.Name] {
			t.Errorf("two types are %s", spec.Name.Name)
		}
		types[spec.Name.Name] = true
		structs++
		fields := map[string]bool{}
		for _, f := range spec.Type.(*ast.StructType).Fields.List {
			name := f.Names[0].Name
			if fields[name] || !ast.IsExported(name) {
				t.Errorf("%s.%s is there twice, or not exported", spec.Name.Name, name)
			}
			fields[name] = true
		}
		return true
	})
	if structs != len(list) {
		t.Errorf("%d structs for %d tables", structs, len(list))
	}
}

// Every key word of PostgreSQL can be a column and a table, without quotes.
func TestKeyWordsAreNames(t *testing.T) {
	t.Parallel()
	s := newDatabase(t).schema(t)
	words := strings.Fields(s.lines("SELECT word FROM pg_get_keywords() WHERE word NOT LIKE '%,%'"))
	if len(words) < 400 {
		t.Fatalf("%d key words", len(words))
	}
	properties, paths := object{}, object{}
	for _, w := range words {
		properties[w] = object{"type": "string"}
		paths["/"+w] = createOf("create "+w, object{w: object{"type": "string"}})
	}
	paths["/all"] = createOf("createAll", properties)
	d := derive(t, paths)
	s.add(tables.Create(d.Tables))
	s.up()
	for _, in := range d.Inserts {
		var columns, values []string
		for _, v := range in.Values {
			columns, values = append(columns, v.Column), append(values, "'v'")
		}
		if !strings.HasPrefix(in.Operation.ID, "create") || len(columns) == 0 {
			t.Fatalf("%s inserts nothing", in.Operation.ID)
		}
		s.exec("INSERT INTO " + in.Table + " (" + strings.Join(columns, ", ") + ") VALUES (" + strings.Join(values, ", ") + ")")
		s.exec("UPDATE " + in.Table + " SET " + columns[0] + " = 'w' WHERE " + columns[0] + " = 'v'")
		s.lines("SELECT concat(" + strings.Join(columns[:min(len(columns), 90)], ", ") + ") FROM " + in.Table)
	}
	checkModels(t, d.Tables)
}
