package diag

import (
	"encoding/json"
	"strings"
	"testing"
)

// What comes from a file may hold anything, and every printer has to bear it.
const hostile = "a\x1b[2J\u202e\U000e0041 \"%0A::error::<b>\n\x7f"

func TestPrintGitHub(t *testing.T) {
	var s Set
	s.Addf(Pos{File: "a,b:c.yaml", Line: 2, Col: 3}, 4, "r/error", "%s", hostile)
	s.Warnf(Pos{File: "z.yaml"}, 0, "r/warn", "100%%")
	var b strings.Builder
	if err := PrintGitHub(&b, &s, func(path string) string { return "sub/" + path }); err != nil {
		t.Fatal(err)
	}
	want := `::error file=sub/a%2Cb%3Ac.yaml,line=2,col=3,endColumn=7,title=r/error::a\x1b[2J\u202e\U000e0041 "%250A::error::<b>\n\x7f
::warning file=sub/z.yaml,title=r/warn::100%25
`
	if b.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
	}
}

func TestMarshalJSON(t *testing.T) {
	text, err := MarshalJSON(map[string]string{"k": hostile}, "  ")
	if err != nil {
		t.Fatal(err)
	}
	want := "{\n" + `  "k": "a\u001b[2J\u202e\udb40\udc41 \"%0A::error::<b>\n\u007f"` + "\n}\n"
	if string(text) != want {
		t.Errorf("got:\n%s\nwant:\n%s", text, want)
	}
	var back map[string]string
	if err := json.Unmarshal(text, &back); err != nil || back["k"] != hostile {
		t.Errorf("%v, %q", err, back["k"])
	}
}

func TestRecords(t *testing.T) {
	var s *Set
	if text, err := MarshalJSON(Records(s), ""); err != nil || string(text) != "[]\n" {
		t.Errorf("%v, %s", err, text)
	}
	s = new(Set)
	s.Warnf(Pos{File: "a.yaml"}, 0, "r/w", "careful")
	want := `[{"file":"a.yaml","line":0,"col":0,"len":0,"severity":"warning","rule":"r/w","message":"careful"}]` + "\n"
	if text, err := MarshalJSON(Records(s), ""); err != nil || string(text) != want {
		t.Errorf("%v, %s", err, text)
	}
}

func TestColorAndReadOnly(t *testing.T) {
	src := func(string) ([]byte, bool) { return []byte("x: y\n"), true }
	var s Set
	s.Warnf(Pos{"a.yaml", 1, 4}, 1, "r/w", "careful")
	s.Addf(Pos{"b.yaml", 1, 4}, 1, "r/e", "\x1b[2Jwrong")
	var b strings.Builder
	if err := (Style{Color: true, ReadOnly: true}).Print(&b, &s, src); err != nil {
		t.Fatal(err)
	}
	want := "\x1b[1ma.yaml:1:4:\x1b[0m \x1b[33mwarning:\x1b[0m careful \x1b[2m[r/w]\x1b[0m\n" +
		"    1 | x: y\n      |    \x1b[33m^\x1b[0m\n" +
		"\x1b[1mb.yaml:1:4:\x1b[0m \\x1b[2Jwrong \x1b[2m[r/e]\x1b[0m\n" +
		"    1 | x: y\n      |    \x1b[31m^\x1b[0m\n" +
		"\x1b[31m1 problem\x1b[0m and \x1b[33m1 warning\x1b[0m\n"
	if b.String() != want {
		t.Errorf("got %q\nwant %q", b.String(), want)
	}
}
