package scaffold

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/tables"
)

// seeder makes the rows that a request refers to.
type seeder struct {
	derived *tables.Derivation
	done    map[string]string // keys, as JSON, by table
	inserts []string
}

// row makes sure of a row in a table and returns its key as JSON.
func (s *seeder) row(table string) string {
	if key, ok := s.done[table]; ok {
		return key
	}
	var t *tables.Table
	for i := range s.derived.Tables {
		if s.derived.Tables[i].Name == table {
			t = &s.derived.Tables[i]
		}
	}
	key, keyJSON := keyValue(t.Column(t.Key).Type)
	s.done[table] = keyJSON
	columns, values := []string{t.Key}, []string{key}
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Name == t.Key || !c.NotNull || c.Default != "" || c.Identity {
			continue
		}
		columns = append(columns, c.Name)
		values = append(values, s.value(c))
	}
	s.inserts = append(s.inserts, fmt.Sprintf("INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE VALUES (%s)",
		t.Name, strings.Join(columns, ", "), strings.Join(values, ", ")))
	return keyJSON
}

func keyValue(typ string) (sql, json string) {
	switch typ {
	case "bigint", "integer":
		return "1", "1"
	case "uuid":
		return "'" + formats["uuid"] + "'", strconv.Quote(formats["uuid"])
	}
	return "'example-1'", `"example-1"`
}

// value is an SQL literal that a column takes.
func (s *seeder) value(c *tables.Column) string {
	if c.References != "" {
		return strings.ReplaceAll(s.row(c.References), `"`, "'") // the key is one of ours
	}
	if len(c.Enum) > 0 {
		return "'" + strings.ReplaceAll(c.Enum[0], "'", "''") + "'"
	}
	switch c.Type {
	case "bigint", "integer", "numeric", "double precision":
		return "1"
	case "boolean":
		return "true"
	case "uuid":
		return "'" + formats["uuid"] + "'"
	case "timestamptz":
		return "'" + formats["date-time"] + "'"
	case "date":
		return "'" + formats["date"] + "'"
	case "jsonb":
		return "'{}'"
	}
	return "'example'"
}
