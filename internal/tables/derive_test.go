package tables_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/spec"
	"github.com/idemgen/idemgen/internal/tables"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata")

// load reads a document that must be without problems.
func load(t *testing.T, path string) *spec.Document {
	t.Helper()
	doc, diags := spec.Load(path, filepath.Base(path))
	for _, d := range diags.All() {
		t.Fatalf("%s: %s [%s]", d.Pos, d.Message, d.Rule)
	}
	return doc
}

func TestDeriveGoldens(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatal("no documents", err)
	}
	db := newDatabase(t)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			d := tables.Derive(load(t, path), "idempotency_records")
			s := db.schema(t)
			s.add(tables.Create(d.Tables))
			s.up()
			s.down()
			checkModels(t, d.Tables)
			if change := tables.Diff(d.Tables, d.Tables, "", nil); change.Migration != nil {
				t.Errorf("nothing has changed, and there is\n%s", change.Migration)
			}
			got := describe(d)
			golden := strings.TrimSuffix(path, ".yaml") + ".golden"
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: got\n%s", golden, got)
			}
		})
	}
}

// describe is all of a derivation, as text.
func describe(d *tables.Derivation) []byte {
	var b bytes.Buffer
	b.Write(tables.Create(d.Tables))
	for _, c := range d.Inserts {
		fmt.Fprintf(&b, "\n%s inserts into %s\n", c.Operation.Identity(), c.Table)
		for _, in := range c.Values {
			optional := ""
			if in.Optional {
				optional = ", or not"
			}
			fmt.Fprintf(&b, "    %s from %s %s%s\n", in.Column, in.Source, in.Name, optional)
		}
	}
	for _, list := range []struct {
		title string
		notes []tables.Note
	}{{"underived", d.Underived}, {"placeholders", d.Placeholders}, {"notes", d.Notes}} {
		if len(list.notes) > 0 {
			fmt.Fprintf(&b, "\n%s\n", list.title)
		}
		for _, n := range list.notes {
			fmt.Fprintf(&b, "    %s %s: %s\n", n.Pos, strings.Trim(n.Operation+" "+n.Table+"."+n.Column, ". "), n.Message)
		}
	}
	return b.Bytes()
}
