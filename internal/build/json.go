package build

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/spec"
)

// jsonTypes tells what JSON PostgreSQL makes of the columns that sqlc scans into
// a Go type. Types that aren't here, such as those of overrides and enums, could be
// anything, and are taken as they come.
var jsonTypes = map[string]string{
	"string": "string", "pgtype.Text": "string", "uuid.UUID": "string", "pgtype.UUID": "string", "uuid.NullUUID": "string",
	"time.Time": "string", "pgtype.Timestamptz": "string", "pgtype.Date": "string", "pgtype.Time": "string",
	"int16": "integer", "int32": "integer", "int64": "integer", "pgtype.Int2": "integer", "pgtype.Int4": "integer", "pgtype.Int8": "integer",
	"float32": "number", "float64": "number", "pgtype.Float4": "number", "pgtype.Float8": "number", "pgtype.Numeric": "number",
	"bool": "boolean", "pgtype.Bool": "boolean",
}

// jsonValue is column i as a member of a JSON object, in SQL, with a comma in
// front. An optional property that is null is left out.
func jsonValue(i int, goType string, p spec.Property) (sql, problem string) {
	pointer := strings.HasPrefix(goType, "*")
	goType = strings.TrimPrefix(goType, "*")
	types, got := p.Shape.Types(), jsonTypes[goType]
	value := "to_json(" + column(i) + ")"
	switch {
	case goType == "pgtype.Timestamp" && p.Shape.Format() == "date-time":
		return "", "without a time zone, which RFC 3339 requires; make the column a timestamptz"
	case p.Shape.Format() == "byte" || p.Shape.Format() == "binary":
		return "", "as bytes, which PostgreSQL doesn't write as base64; use a handler with the transaction"
	case pointer && p.Required && !p.Shape.Nullable():
		return "", "as null where there is none, but the answer requires a value; make the column NOT NULL"
	case got == "integer" && slices.Contains(types, "number"), got == "" || len(types) == 0 || slices.Contains(types, got):
	case got == "integer" && slices.Contains(types, "string") && p.Shape.Format() == "":
		value = "to_json(" + column(i) + "::text)"
	default:
		return "", fmt.Sprintf("as %s, but the answer has it as %s; cast it in RETURNING, or use a handler with the transaction", got, strings.Join(types, " or "))
	}
	if name := sqlString("," + jsonString(p.Name) + ":"); p.Required {
		return fmt.Sprintf("%s || COALESCE(%s::text, 'null')", name, value), ""
	} else {
		return fmt.Sprintf("COALESCE(%s || %s::text, '')", name, value), ""
	}
}

func jsonString(s string) string {
	b, _ := json.Marshal(s) // text always marshals
	return string(b)
}

// sqlString quotes text that may be a stranger's. A backslash means itself, or, in
// the escape form, itself when doubled: the escape form doesn't depend on settings.
func sqlString(s string) string {
	quoted := "'" + strings.ReplaceAll(s, "'", "''") + "'"
	if strings.Contains(s, `\`) {
		return "E" + strings.ReplaceAll(quoted, `\`, `\\`)
	}
	return quoted
}
