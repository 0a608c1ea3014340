package tables

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/idemgen/idemgen/internal/config"
)

var (
	plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)
	// plainDefault are the expressions that Derive makes.
	plainDefault = regexp.MustCompile(`^([0-9eE.+-]+|true|false|now\(\)|CURRENT_DATE|gen_random_uuid\(\)(::text)?|E?'([^'\\;\n]|''|\\\\|\\[xuU][0-9a-f]+)*')$`)
	types        = []string{"text", "uuid", "timestamptz", "date", "bytea", "numeric", "integer", "bigint", "double precision", "boolean", "jsonb"}
)

// Problem says what in tables that were read from a file isn't fit for SQL, or
// nothing.
func Problem(list []Table) string {
	for i := range list {
		t := &list[i]
		if !isName(t.Name) || !isName(t.Key) || t.Column(t.Key) == nil {
			return fmt.Sprintf("%q with the key %q is no table", t.Name, t.Key)
		}
		for _, c := range t.Columns {
			if !isName(c.Name) || c.Index != "" && !isName(c.Index) || !slices.Contains(types, c.Type) || c.Default != "" && !plainDefault.MatchString(c.Default) {
				return fmt.Sprintf("%q of table %s is no column", c.Name, t.Name)
			}
			if c.References != "" && find(list, c.References) == nil {
				return fmt.Sprintf("column %s of table %s refers to %q, which is no table", c.Name, t.Name, c.References)
			}
			if slices.ContainsFunc(c.Enum, unstorable) {
				return fmt.Sprintf("column %s of table %s allows values that no column has", c.Name, t.Name)
			}
		}
	}
	return ""
}

func isName(name string) bool {
	return plainName.MatchString(name) && len(name) <= maxName && !config.Reserved(name)
}
