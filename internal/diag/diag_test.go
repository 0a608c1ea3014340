package diag

import (
	"strings"
	"testing"
)

func TestPrintText(t *testing.T) {
	long := `{"a":"` + strings.Repeat("x", 300) + `","ttl":"soon","b":"` + strings.Repeat("y", 300) + `"}`
	src := func(name string) ([]byte, bool) {
		text, ok := map[string]string{
			"a.yaml":   "one\r\n\t\"日本\": é\x1b[2J soon\n\n",
			"min.json": long,
		}[name]
		return []byte("\xef\xbb\xbf" + text), ok
	}
	var s Set
	s.Addf(Pos{"a.yaml", 2, 2}, 4, "r/key", "key %q", "\x1b")
	s.Addf(Pos{"a.yaml", 2, 14}, 4, "r/value", "value")
	s.Addf(Pos{"a.yaml", 2, 14}, 4, "r/value", "value")
	s.Addf(Pos{"a.yaml", 1, 4}, 0, "r/end", "raw \x1b[31m\u202e\n")
	s.Addf(Pos{"a.yaml", 3, 1}, 9, "r/empty", "empty line")
	s.Addf(Pos{"a.yaml", 99, 1}, 1, "r/gone", "no such line")
	s.Addf(Pos{File: "a.yaml"}, 0, "r/file", "whole file")
	s.Addf(Pos{"other.yaml", 1, 1}, 1, "r/other", "no source")
	var more Set
	more.Addf(Pos{"min.json", 1, 315}, 6, "r/long", "in a long line")
	s.Merge(&more)
	s.Merge(nil)
	var b strings.Builder
	if err := PrintText(&b, &s, src); err != nil {
		t.Fatal(err)
	}
	want := strings.TrimPrefix(`
a.yaml: whole file [r/file]
a.yaml:1:4: raw \x1b[31m\u202e\n [r/end]
    1 | one
      |    ^
a.yaml:2:2: key "\x1b" [r/key]
    2 |     "日本": é\x1b[2J soon
      |     ^^^^^^
a.yaml:2:14: value [r/value]
    2 |     "日本": é\x1b[2J soon
      |                      ^^^^
a.yaml:3:1: empty line [r/empty]
    3 |
      | ^
a.yaml:99:1: no such line [r/gone]
min.json:1:315: in a long line [r/long]
    1 | ...xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx","ttl":"soon","b":"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy...
      |                                            ^^^^^^
other.yaml:1:1: no source [r/other]
8 problems; nothing was written
`, "\n")
	if got := b.String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestSeverity(t *testing.T) {
	var s Set
	s.Warnf(Pos{"a.yaml", 1, 1}, 1, "r/w", "careful")
	for _, c := range []struct {
		set  *Set
		want string
	}{
		{&s, "a.yaml:1:1: warning: careful [r/w]\n1 warning\n"},
		{s.Errors(), "a.yaml:1:1: careful [r/w]\n1 problem; nothing was written\n"},
	} {
		var b strings.Builder
		if err := PrintText(&b, c.set, nil); err != nil || b.String() != c.want {
			t.Errorf("%v; got %q, want %q", err, b.String(), c.want)
		}
	}
	s.Addf(Pos{"a.yaml", 2, 1}, 1, "r/e", "wrong")
	var b strings.Builder
	if err := PrintText(&b, &s, nil); err != nil || !strings.HasSuffix(b.String(), "\n1 problem and 1 warning; nothing was written\n") {
		t.Errorf("%v; got %q", err, b.String())
	}
}

func TestEmptySet(t *testing.T) {
	var b strings.Builder
	var s *Set
	if err := PrintText(&b, s, nil); err != nil || b.Len() > 0 || !s.Empty() || s.All() != nil {
		t.Error(err, b.String())
	}
}

func TestDidYouMean(t *testing.T) {
	choices := []string{"ttl", "name", "key", "fingerprint"}
	for word, want := range map[string]string{
		"tll": `; did you mean "ttl"?`, "nmae": `; did you mean "name"?`, "finger-print": `; did you mean "fingerprint"?`,
		"x": "", "completely": "", strings.Repeat("k", 100): "",
	} {
		if got := DidYouMean(word, choices); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}
