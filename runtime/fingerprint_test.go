package runtime

import (
	"errors"
	"strings"
	"testing"
)

func canonical(t *testing.T, text string) string {
	t.Helper()
	b, err := appendCanonicalJSON(nil, []byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return string(b)
}

func TestCanonicalJSONSame(t *testing.T) {
	for _, pair := range [][2]string{
		{`{"a":1,"b":2}`, ` { "b" : 2 ,"a":1 } `},
		{`{"a":{"x":[1,{"p":1,"q":2}]}}`, `{"a":{"x":[1,{"q":2,"p":1}]}}`},
		{`"A\/é"`, `"A/é"`},
		{`"😀"`, `"😀"`},
		{`[]`, " [\n] "},
	} {
		if canonical(t, pair[0]) != canonical(t, pair[1]) {
			t.Errorf("%s and %s mean the same", pair[0], pair[1])
		}
	}
}

func TestCanonicalJSONDiffers(t *testing.T) {
	texts := []string{
		`9007199254740993`, `9007199254740992`, `1`, `1.0`, `"1"`, `true`, `false`, `null`, `""`, `"null"`,
		`{}`, `[]`, `[[]]`, `[[],[]]`, `[{}]`, `{"a":{}}`, `{"a":[]}`, `{"a":1,"b":2}`, `{"a":2,"b":1}`,
		`[1,2]`, `[2,1]`, `[12]`, `["a","b"]`, `["ab"]`, `{"a":"b"}`, `{"b":"a"}`, `{"a":1,"c":null}`, `{"a":1}`,
		`"\ud800"`, `"\ud801"`, `"\ufffd"`, `{"\ud800":1}`, `{"\ud801":1}`, `{"\ufffd":1}`,
	}
	seen := map[string]string{}
	for _, text := range texts {
		c := canonical(t, text)
		if other, ok := seen[c]; ok {
			t.Errorf("%s and %s differ", text, other)
		}
		seen[c] = text
	}
}

func TestCanonicalJSONRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"a":2}`:            "twice",
		`{"a":1,"\u0061":2}`:       "twice",
		`{"x":[{"k":1,"k":1}]}`:    "twice",
		`{"a":1} x`:                "follows",
		`{} {}`:                    "follows",
		`{"a":`:                    "isn't JSON",
		`{a:1}`:                    "isn't JSON",
		`nul`:                      "isn't JSON",
		"\"\xff\"":                 "UTF-8",
		strings.Repeat("[", 20000): "isn't JSON",
		strings.Repeat("[", 20000) + strings.Repeat("]", 20000):           "deep",
		strings.Repeat(`{"a":`, 20000) + `1` + strings.Repeat("}", 20000): "deep",
	} {
		_, err := appendCanonicalJSON(nil, []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			if want == "isn't JSON" && errors.Is(err, errJSONDepth) {
				continue
			}
			t.Errorf("%.40s: %v, want an error with %q", text, err, want)
		}
	}
}

// What an attacker sends must not cost more than its size: nesting and many
// members are hashed once.
func BenchmarkCanonicalJSONNested(b *testing.B) {
	const depth = 9000
	text := []byte(strings.Repeat(`{"a":0,"b":`, depth) + `1` + strings.Repeat("}", depth))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := appendCanonicalJSON(nil, text); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzCanonicalJSON(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2,{"b":null}]}`, `"\ud83d\ude00"`, `{"a":1,"a":2}`, `[`, ``, `{"":""}`, `"\ud800\udc00\ud800"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		once, err := appendCanonicalJSON(nil, text)
		again, errAgain := appendCanonicalJSON([]byte("x"), text)
		if (err == nil) != (errAgain == nil) || err == nil && "x"+string(once) != string(again) {
			t.Fatalf("%q: two forms of one text", text)
		}
	})
}
