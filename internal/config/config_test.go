package config

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/diag"
)

func load(t testing.TB, text string) (*Config, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "idemgen.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	c, diags := Load(path)
	var b strings.Builder
	if err := diag.PrintText(&b, diags, func(string) ([]byte, bool) { return []byte(text), true }); err != nil {
		t.Fatal(err)
	}
	return c, strings.ReplaceAll(b.String(), path, "idemgen.yaml")
}

func TestDefaults(t *testing.T) {
	c, out := load(t, "version: 1\nspec: ../shared/openapi.yaml\noverlays: []\n")
	if out != "" {
		t.Fatal(out)
	}
	got := []string{c.Spec, c.API.Dir, c.API.Package, c.API.Server, c.Store.Dir, c.Store.Package, c.Store.Table, c.DB.Migrations, c.DB.Queries, c.SQLC.Config}
	want := "../shared/openapi.yaml|api|api|std-http|internal/idemdb|idemdb|idempotency_records|db/migrations|db/queries|"
	if strings.Join(got, "|") != want || c.SQLC.Run || c.Dir != filepath.Dir(c.File) {
		t.Errorf("%q %v %q", got, c.SQLC.Run, c.Dir)
	}
	if pos := c.Pos("spec"); pos.Line != 2 || pos.Col != 7 || c.Len("spec") != 22 {
		t.Error(pos)
	}
	if pos := c.Pos("api.dir"); pos != (diag.Pos{File: c.File}) {
		t.Error(pos)
	}
}

func TestEverything(t *testing.T) {
	c, out := load(t, `version: 1
spec: ./a.yaml
api:   { dir: gen/api/, package: shop, server: std-http }
store: &s { dir: internal/db, package: db, table: idem_keys }
db:    { migrations: sql/migrations, queries: sql/queries }
sqlc:  { config: sqlc.yaml, run: true }
cleanup: { pg_cron: " */5  * * * * " }
`)
	if c.Cleanup.PGCron != "*/5 * * * *" {
		t.Errorf("the schedule is %q", c.Cleanup.PGCron)
	}
	if out != "" || c.Spec != "a.yaml" || c.API.Dir != "gen/api" || c.API.Package != "shop" || c.Store.Table != "idem_keys" || c.SQLC.Config != "sqlc.yaml" || !c.SQLC.Run {
		t.Errorf("%+v\n%s", c, out)
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	_, out := load(t, `version: 2
spec: https://example.com/openapi.yaml
overlay: []
overlays: [a.yaml, 5, ./a.yaml, https://example.com/b.yaml]
api: {dir: ../x, package: func, server: chi}
store:
  dir: "a b"
  table: user
  tabel: x
db: 5
sqlc: {run: yes}
`)
	want := strings.TrimPrefix(`
idemgen.yaml:1:10: version 2 is not known; this idemgen reads version: 1 [config/version]
    1 | version: 2
      |          ^
idemgen.yaml:2:7: spec: "https://example.com/openapi.yaml" is a URL; download the file and write its path [config/path]
    2 | spec: https://example.com/openapi.yaml
      |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
idemgen.yaml:3:1: "overlay" is not a field; did you mean "overlays"? [config/unknown-field]
    3 | overlay: []
      | ^^^^^^^
idemgen.yaml:4:20: overlays[1] is a number; write a path [config/type]
    4 | overlays: [a.yaml, 5, ./a.yaml, https://example.com/b.yaml]
      |                    ^
idemgen.yaml:4:23: overlays[2]: "./a.yaml" is there twice [config/path]
    4 | overlays: [a.yaml, 5, ./a.yaml, https://example.com/b.yaml]
      |                       ^^^^^^^^
idemgen.yaml:4:33: overlays[3]: "https://example.com/b.yaml" is a URL; download the file and write its path [config/path]
    4 | overlays: [a.yaml, 5, ./a.yaml, https://example.com/b.yaml]
      |                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^
idemgen.yaml:5:12: api.dir: "../x" is outside of this file's folder; generated files stay inside [config/path]
    5 | api: {dir: ../x, package: func, server: chi}
      |            ^^^^
idemgen.yaml:5:27: api.package: "func" is a Go keyword [config/package]
    5 | api: {dir: ../x, package: func, server: chi}
      |                           ^^^^
idemgen.yaml:5:41: api.server: "chi" is not supported yet; write std-http [config/unsupported]
    5 | api: {dir: ../x, package: func, server: chi}
      |                                         ^^^
idemgen.yaml:7:8: store.dir: "a b" can't be part of a Go import path; use letters, digits, '-', '.', '_' and '~' [config/path]
    7 |   dir: "a b"
      |        ^^^^^
idemgen.yaml:8:10: store.table: "user" is a reserved word of PostgreSQL [config/table]
    8 |   table: user
      |          ^^^^
idemgen.yaml:9:3: "tabel" is not a field of store; did you mean "table"? [config/unknown-field]
    9 |   tabel: x
      |   ^^^^^
idemgen.yaml:10:5: db is a number; write a mapping with migrations, queries [config/type]
   10 | db: 5
      |     ^
idemgen.yaml:11:13: sqlc.run is a string; write true or false [config/type]
   11 | sqlc: {run: yes}
      |             ^^^
14 problems; nothing was written
`, "\n")
	if out != want {
		t.Errorf("got:\n%s\nwant:\n%s", out, want)
	}
}

func TestRules(t *testing.T) {
	const ok = "version: 1\nspec: a.yaml\n"
	for text, rule := range map[string]string{
		"":                                                       RuleVersion,
		"# only a comment\n":                                     RuleVersion,
		"- a\n":                                                  RuleType,
		"spec: a.yaml\n":                                         RuleVersion,
		"version: 1\n":                                           RuleRequired,
		"version: '1'\nspec: a\n":                                RuleVersion,
		"version: 1.0\nspec: a\n":                                RuleVersion,
		"version:\nspec: a\n":                                    RuleType,
		"version: 1\nspec: 5\n":                                  RuleType,
		"version: 1\nspec: ''\n":                                 RulePath,
		"version: 1\nspec: C:\\a\n":                              RulePath,
		"version: 1\nspec: /a\n":                                 RulePath,
		"version: 1\nspec: a\nspec: b\n":                         RuleDuplicate,
		ok + "---\nversion: 1\n":                                 RuleSyntax,
		ok + "api: {dir\n":                                       RuleSyntax,
		ok + "api: &a {dir: *a}\n":                               RuleSyntax,
		ok + "api: {dir: a/../..}\n":                             RulePath,
		ok + "api: {dir: internal/idemdb}\n":                     RulePath,
		ok + "api: {dir: Internal/Idemdb}\n":                     RulePath, // case does not tell folders apart everywhere
		ok + "db: {queries: db/migrations}\n":                    RulePath,
		ok + "api: {dir: my-api}\n":                              RulePackage,
		ok + "api: {dir: my-api, package: a}\n":                  "",
		ok + "api: {package: main}\n":                            RulePackage,
		ok + "api: {package: _}\n":                               RulePackage,
		ok + "api: {package: a-b}\n":                             RulePackage,
		ok + "store: {table: Abc}\n":                             RuleTable,
		ok + "store: {table: 1a}\n":                              RuleTable,
		ok + "store: {table: a.b}\n":                             RuleTable,
		ok + "store: {table: " + strings.Repeat("a", 41) + "}\n": RuleTable,
		ok + "store: {table: " + strings.Repeat("a", 40) + "}\n": "",
		ok + "sqlc: {run: true}\n":                               RuleRequired,
		ok + "sqlc: {run: true, config: ../sqlc.yaml}\n":         RulePath,
		ok + "api:\n":                                            RuleType,
		ok + "overlays:\n":                                       RuleType,
		ok + "api: {dir: 'a\\tb'}\n":                             RulePath,
		ok + "api: {dir: \"a\\tb\"}\n":                           RulePath,
	} {
		_, out := load(t, text)
		if rule == "" && out != "" || rule != "" && (!strings.Contains(out, "["+rule+"]") || !strings.HasSuffix(out, "1 problem; nothing was written\n")) {
			t.Errorf("%q: want %q, got\n%s", text, rule, out)
		}
	}
	_, diags := Load("no/such/idemgen.yaml")
	if all := diags.All(); len(all) != 1 || all[0].Rule != RuleFile || all[0].Pos.Line != 0 {
		t.Error(all)
	}
}

func TestSchedules(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"* * * * *", "*/5 * * * *", "0 3 * * *", "0,30 0-6/2 1-31 JAN-jun,12 mon-fri,7", "1 seconds", "59 seconds", "30 second",
	} {
		if problem := scheduleProblem(good); problem != "" {
			t.Errorf("%q: %s", good, problem)
		}
	}
	for bad, want := range map[string]string{
		"":                 `"" is not a schedule`,
		"5 minutes":        `"5 minutes" is not a schedule`,
		"0 seconds":        "0 seconds is not between 1 and 59",
		"60 seconds":       "60 seconds is not between 1 and 59",
		"* * * *":          `"* * * *" is not a schedule`,
		"* * * * * *":      `"* * * * * *" is not a schedule`,
		"60 * * * *":       `"60" doesn't fit the minute`,
		"-1 * * * *":       `"-1" doesn't fit the minute`,
		"*/0 * * * *":      `"*/0" doesn't fit the minute`,
		"5/10 * * * *":     `"5/10" doesn't fit the minute`,
		"5, * * * *":       `"" doesn't fit the minute`,
		"* 24 * * *":       `"24" doesn't fit the hour`,
		"* 9-5 * * *":      `"9-5" doesn't fit the hour`,
		"* * 0 * *":        `"0" doesn't fit the day of month`,
		"* * * foo *":      `"foo" doesn't fit the month`,
		"* * * * 8":        `"8" doesn't fit the day of week`,
		"* * * * '); DROP": `"* * * * '); DROP" is not a schedule`,
		"* * * * ');DROP":  `"');DROP" doesn't fit the day of week`,
		"* * * * +1":       `"+1" doesn't fit the day of week`,
		"@hourly":          `"@hourly" is not a schedule`,
	} {
		if got := scheduleProblem(bad); got != want {
			t.Errorf("%q: got %q, want %q", bad, got, want)
		}
	}
	_, out := load(t, "version: 1\nspec: a.yaml\ncleanup: {pg_cron: '61 * * * *'}\n")
	want := strings.TrimPrefix(`
idemgen.yaml:3:20: cleanup.pg_cron: "61" doesn't fit the minute; write five fields, such as "*/5 * * * *", or "30 seconds" [config/schedule]
    3 | cleanup: {pg_cron: '61 * * * *'}
      |                    ^^^^^^^^^^^^
1 problem; nothing was written
`, "\n")
	if out != want {
		t.Errorf("got:\n%s\nwant:\n%s", out, want)
	}
}

func FuzzLoad(f *testing.F) {
	for _, s := range []string{
		"version: 1\nspec: a.yaml\n", "version: 1\nspec: a\napi: {dir: .}\nstore: &a {dir: *a}\n",
		"{\"version\": 1, \"spec\": \"a\"}", "? {a: b}\n: &x [*x]\n<<: [{a: b}]\n", "a: .inf\nb: 0x_1\n---\nc\n", "\xef\xbb\xbfversion: 1\r\n\tspec: |\r\n  a\u2028b\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		c, diags := Load(path)
		if diags.Empty() && (c.Spec == "" || c.API.Package == "" || c.Store.Package == "" || c.API.Dir == c.Store.Dir) {
			t.Errorf("accepted: %+v", c)
		}
		if err := diag.PrintText(io.Discard, diags, func(string) ([]byte, bool) { return text, true }); err != nil {
			t.Error(err)
		}
	})
}
