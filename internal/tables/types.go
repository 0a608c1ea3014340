package tables

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/diag/doctree"
	"github.com/idemgen/idemgen/internal/spec"
)

// stringTypes are the types of strings, by format. Others are text.
var stringTypes = map[string]string{
	"uuid": "uuid", "date-time": "timestamptz", "date": "date",
	"byte": "bytea", "binary": "bytea",
	"decimal": "numeric", "money": "numeric",
}

// columnType is the type of a column for the values of a shape, and the strings
// that it is limited to.
func columnType(s *spec.Shape) (typ string, enum []string) {
	types := s.Types()
	if len(types) != 1 {
		return "jsonb", nil
	}
	format := strings.ToLower(s.Format())
	switch types[0] {
	case "string":
		if enum := s.Enum(); enum != nil {
			if !slices.ContainsFunc(enum, unstorable) {
				return "text", enum
			}
			return "text", nil
		}
		if t := stringTypes[format]; t != "" {
			return t, nil
		}
		return "text", nil
	case "integer":
		switch format {
		case "int32", "int16", "int8":
			return "integer", nil
		case "uint64":
			return "numeric", nil
		}
		return "bigint", nil
	case "number":
		if format == "decimal" || format == "money" {
			return "numeric", nil
		}
		return "double precision", nil
	case "boolean":
		return "boolean", nil
	}
	return "jsonb", nil
}

// maxValue is the length of the longest value that a CHECK names.
const maxValue = 1000

func unstorable(value string) bool { return len(value) > maxValue || !storable(value) }

// isKeyType tells types that a primary key can well have.
func isKeyType(typ string) bool {
	return slices.Contains([]string{"uuid", "text", "bigint", "integer"}, typ)
}

// valueDefault is the expression for a default of the spec, "" when it isn't a
// value of the column.
func valueDefault(c *Column, v *doctree.Node) string {
	if v == nil {
		return ""
	}
	switch c.Type {
	case "text":
		if v.Kind == doctree.String && !unstorable(v.Value) && (c.Enum == nil || slices.Contains(c.Enum, v.Value)) {
			return literal(v.Value)
		}
	case "boolean":
		if v.Kind == doctree.Bool {
			return v.JSON()
		}
	case "integer", "bigint":
		if v.Kind == doctree.Int {
			return integer(v.JSON(), c.Type)
		}
	case "double precision", "numeric":
		if v.Kind == doctree.Int || v.Kind == doctree.Float {
			return number(v.JSON())
		}
	}
	return ""
}

// serverDefault is what the server can make by itself for a column: real for keys
// and for when a row was made, else only something that the column takes.
func serverDefault(c *Column, s *spec.Shape) (expression string, real bool) {
	if d := valueDefault(c, s.Default()); d != "" {
		return d, true
	}
	if len(c.Enum) > 0 {
		return literal(c.Enum[0]), true
	}
	switch c.Type {
	case "uuid":
		return "gen_random_uuid()", true
	case "timestamptz":
		return "now()", isStamp(c.Name)
	case "date":
		return "CURRENT_DATE", isStamp(c.Name)
	case "boolean":
		return "false", false
	case "integer", "bigint", "double precision", "numeric":
		return "0", false
	case "jsonb":
		if types := s.Types(); len(types) == 1 && types[0] == "array" {
			return "'[]'", false
		}
		return "'{}'", false
	}
	return "''", false
}

// isStamp tells columns that say when the row was made or changed.
func isStamp(name string) bool {
	for word := range strings.SplitSeq(name, "_") {
		switch word {
		case "created", "updated", "modified", "inserted", "changed":
			return true
		}
	}
	return false
}
