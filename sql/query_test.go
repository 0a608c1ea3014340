package sql_test

import (
	"strings"
	"testing"

	idemsql "github.com/idemgen/idemgen/sql"
)

func TestQueryByName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{idemsql.DeleteExpired, idemsql.CountExpired} {
		text := idemsql.Query(name, "idem_keys")
		if !strings.Contains(text, "FROM idem_keys") || strings.Contains(text, idemsql.Table) || strings.ContainsAny(text, ";") || strings.Contains(text, "--") {
			t.Errorf("%s:\n%s", name, text)
		}
		if !strings.Contains(idemsql.Named(idemsql.Queries, "idem_keys"), text+";\n") {
			t.Errorf("%s isn't what sqlc gets:\n%s", name, text)
		}
	}
	if got := idemsql.Query("DeleteExpired", "t"); got != "" {
		t.Errorf("a part of a name gave %q", got)
	}
}
