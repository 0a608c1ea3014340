package lock

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/internal/contract"
	"github.com/idemgen/idemgen/internal/tables"
)

// Whatever a spec has in its names comes back as it was, on lines of its own.
func TestRoundTrip(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"", "null", "yes", "1e3", "0x10", "- a", "a: b", "#", "<<", "=======", "!!str", "&a", "*a", "{", "\x1b[2J", "a\r\nb", "\u2028", " x ", "%", "'", `"`, "\ufeff",
	}))
	words := rapid.SliceOfN(text, 1, 3)
	rapid.Check(t, func(t *rapid.T) {
		want := &Lock{
			Version: Version,
			Record:  Record{Schema: rapid.IntRange(1, 9).Draw(t, "schema"), Table: text.Draw(t, "table")},
			Operations: map[string]Operation{text.Draw(t, "identity"): {
				Operation: contract.Operation{
					OperationID: text.Draw(t, "id"), Method: "POST", Path: text.Draw(t, "path"), Key: text.Draw(t, "key"),
					Scope: words.Draw(t, "scope"), Fingerprint: words.Draw(t, "fingerprint"), TTL: "24h", Store: words.Draw(t, "store"),
				},
				Answers: map[string]Schema{text.Draw(t, "answer"): {text.Draw(t, "pointer"): text.Draw(t, "line")}},
			}},
			Methods: words.Draw(t, "methods"),
			Tables:  []tables.Table{{Name: text.Draw(t, "name"), Columns: []tables.Column{{Name: "a", Enum: words.Draw(t, "enum")}}}},
			Files:   map[string]string{"api/" + rapid.StringMatching(`[a-z0-9.]{1,8}x`).Draw(t, "file"): Hash([]byte(text.Draw(t, "content")))},
			Pending: &Pending{Files: map[string][]string{"b": {Hash(nil)}}, Migrations: []Migration{{Path: "c", Database: Database{Record: Record{2, "t"}}}}},
		}
		encoded, err := want.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, diags := decode(Name, encoded)
		if !diags.Empty() {
			t.Fatalf("%v\n%s", diags.All(), encoded)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %#v\nwant %#v\n%s", got, want, encoded)
		}
		again, err := got.Encode()
		if err != nil || string(again) != string(encoded) {
			t.Fatalf("%v\n%s\nagain\n%s", err, encoded, again)
		}
	})
}

// Of the migrations that a run had begun, those count that are there.
func TestSettle(t *testing.T) {
	dir := t.TempDir()
	state := func(schema int) Database { return Database{Record: Record{schema, "t"}} }
	begun := &Lock{Version: Version, Record: state(1).Record, Pending: &Pending{Migrations: []Migration{
		{"2_a.sql", state(2)}, {"3_b.sql", state(3)}, {"4_c.sql", state(4)},
	}}}
	encoded, err := begun.Encode()
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, Name), string(encoded))
	for schema, file := range []string{1: Name, 2: "2_a.sql", 3: "3_b.sql", 4: "4_c.sql"} {
		if file == "" {
			continue
		}
		if file != Name {
			write(t, filepath.Join(dir, file), "")
		}
		l, diags, err := Read(filepath.Join(dir, Name), Name)
		if err != nil || !diags.Empty() || l.Record.Schema != schema {
			t.Errorf("after %s: %v, %v, %v", file, l, diags, err)
		}
	}
}

func TestHashIgnoresLineEnds(t *testing.T) {
	if Hash([]byte("a\r\nb\r\n")) != Hash([]byte("a\nb\n")) || Hash([]byte("a\rb")) == Hash([]byte("a\nb")) {
		t.Error("only git's line ends are the same")
	}
}

func TestNameFor(t *testing.T) {
	for config, want := range map[string]string{"idemgen.yaml": Name, "a/b.yml": "b.lock", "noext": "noext.lock", "x.lock": "x.lock.lock"} {
		if got := NameFor(config); got != want {
			t.Errorf("%s: %s", config, got)
		}
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("version: 1\nfiles: {a: b}\n"))
	f.Add([]byte("version: 1\npending: {files: {a: [b]}, migrations: [{path: x}]}\n"))
	f.Add([]byte("version: 1\npending: &a {migrations: [*a, 1, {path: []}]}\nfiles: []\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, diags := decode(Name, data)
		if l == nil && diags.Empty() {
			t.Fatal("no lock, and nothing said")
		}
		for _, d := range diags.All() {
			if strings.TrimSpace(d.Message) == "" {
				t.Error("an empty message")
			}
		}
	})
}
