package runtime

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func canonical(t *testing.T, text string) string {
	t.Helper()
	b, err := appendCanonicalJSON(nil, []byte(text), nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return string(b)
}

func TestCanonicalJSONSame(t *testing.T) {
	for _, pair := range [][2]string{
		{`{"a":1,"b":2}`, ` { "b" : 2 ,"a":1 } `},
		{`{"a":{"x":[1,{"p":1,"q":2}]}}`, `{"a":{"x":[1,{"q":2,"p":1}]}}`},
		{`"A\/\u00e9"`, `"\u0041/é"`},
		{`"\ud83d\ude00"`, `"😀"`},
		{`"\uD83D\uDE00"`, `"\ud83d\ude00"`},
		{`"\ufffd"`, `"` + "\ufffd" + `"`},
		{`"\ud800\u0041"`, `"\uD800A"`},
		{`"\ud800\ud83d\ude00"`, `"\ud800😀"`},
		{`"\b\f\n\r\t\"\\"`, `"\u0008\u000c\u000a\u000d\u0009\u0022\u005C"`},
		{`{"\u0061":1}`, `{"a":1}`},
		{`[]`, " [\n] "},
		{"[\r\n1\t,2 ]", `[1,2]`},
	} {
		if canonical(t, pair[0]) != canonical(t, pair[1]) {
			t.Errorf("%s and %s mean the same", pair[0], pair[1])
		}
	}
}

func TestCanonicalJSONDiffers(t *testing.T) {
	texts := []string{
		`9007199254740993`, `9007199254740992`, `1`, `1.0`, `10e-1`, `-0`, `0`, `"1"`, `true`, `false`, `null`, `""`, `"null"`,
		`{}`, `[]`, `[[]]`, `[[],[]]`, `[{}]`, `{"a":{}}`, `{"a":[]}`, `{"a":1,"b":2}`, `{"a":2,"b":1}`,
		`[1,2]`, `[2,1]`, `[12]`, `["a","b"]`, `["ab"]`, `{"a":"b"}`, `{"b":"a"}`, `{"a":1,"c":null}`, `{"a":1}`, `{"A":1}`,
		`"\ud800"`, `"\ud801"`, `"\udc00"`, `"\udc00\ud800"`, `"\ufffd"`, `{"\ud800":1}`, `{"\ud801":1}`, `{"\ufffd":1}`,
		`"\"\\ud800\""`, `"\\ud800"`, `"\u00e9"`, `"e\u0301"`,
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
		`{"a":1,"a":2}`:            `"a" is there twice`,
		`{"a":1,"\u0061":2}`:       "twice",
		`{"b":1,"a":1,"c":1,"a":}`: "isn't JSON",
		`{"x":[{"k":1,"k":1}]}`:    "twice",
		`{"a":1} x`:                "after top-level value",
		`{} {}`:                    "after top-level value",
		`{"a":`:                    "isn't JSON",
		`{a:1}`:                    "isn't JSON",
		`nul`:                      "isn't JSON",
		`01`:                       "isn't JSON",
		`[1,]`:                     "isn't JSON",
		` `:                        "isn't JSON",
		"\ufeff{}":                 "isn't JSON",
		"\"\xff\"":                 "UTF-8",
		"\"\xed\xa0\x80\"":         "UTF-8",
		strings.Repeat("[", 20000) + strings.Repeat("]", 20000):                         "max depth",
		strings.Repeat(`{"a":`, 20000) + `1` + strings.Repeat("}", 20000):               "max depth",
		`{"` + strings.Repeat("k", 1000) + `":1,"` + strings.Repeat("k", 1000) + `":1}`: `"` + strings.Repeat("k", 40) + `" is`,
	} {
		_, err := appendCanonicalJSON(nil, []byte(text), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want an error with %q", text, err, want)
		}
	}
}

// What an operation that chooses nothing has stored must stay comparable: the
// form is the one of a straightforward implementation on json.Decoder.
func TestCanonicalJSONAsDecoded(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		text := randomJSON(rng).text(rng, true)
		want, err := decodedForm([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := canonical(t, text); got != string(want) {
			t.Fatalf("%s: %q, want %q", text, got, want)
		}
	}
}

// Whatever is done to a text's white space, members and escapes, its form
// stays; whichever leaf is changed, its form changes.
func TestCanonicalJSONProperties(t *testing.T) {
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 0))
		value := randomJSON(rng)
		plain := value.text(nil, false)
		form := canonical(t, plain)
		for range 3 {
			if text := value.text(rng, true); canonical(t, text) != form {
				t.Fatalf("seed %d: %s and %s mean the same", seed, plain, text)
			}
		}
		for _, leaf := range value.leaves(nil) {
			before := *leaf
			*leaf = leaf.changed(rng)
			if text := value.text(rng, true); canonical(t, text) == form {
				t.Fatalf("seed %d: %s and %s differ", seed, plain, text)
			}
			*leaf = before
		}
	}
}

func TestUnescape(t *testing.T) {
	for _, text := range []string{`""`, `"a"`, `"\\\\n"`, `"\u0000"`, `"\ud83d\ude00x"`, `"x\ud83d\uDE00"`, `"\u00e9\/\b\f\n\r\t\""`} {
		var want string
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if got := unescape([]byte(text[1 : len(text)-1])); string(got) != want {
			t.Errorf("%s: %q, want %q", text, got, want)
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
		if _, err := appendCanonicalJSON(nil, text, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// The cost of hostile texts grows as their size, give or take the sorting.
func BenchmarkCanonicalJSONHostile(b *testing.B) {
	var wide strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&wide, `"%d":0,`, i*7919%100_003)
	}
	for name, text := range map[string]string{
		"members": "{" + strings.TrimSuffix(wide.String(), ",") + "}",
		"objects": "[" + strings.Repeat("{},", 300_000) + "{}]",
		"string":  `"` + strings.Repeat(`\u0041`, 150_000) + `"`,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := appendCanonicalJSON(nil, []byte(text), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func FuzzCanonicalJSON(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2,{"b":null}]}`, `"\ud83d\ude00"`, `{"a":1,"a":2}`, `[`, ``, `{"":""}`, `"\ud800\udc00\ud800"`, ` [ true , -1.5e+3 ] `, `{"\u0061":{"b":"\""}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		once, err := appendCanonicalJSON(nil, text, nil)
		want, wantErr := decodedForm(text)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: %v, but the decoder: %v", text, err, wantErr)
		}
		if err != nil {
			return
		}
		if !bytes.Equal(once, want) {
			t.Fatalf("%q: %q, but the decoder: %q", text, once, want)
		}
		if !json.Valid(text) {
			t.Fatalf("%q isn't JSON", text)
		}
		var indented, compact bytes.Buffer
		if err := errors.Join(json.Indent(&indented, text, "\t", "  "), json.Compact(&compact, text)); err != nil {
			t.Fatal(err)
		}
		for _, other := range [][]byte{indented.Bytes(), compact.Bytes()} {
			again, err := appendCanonicalJSON([]byte("x"), other, nil)
			if err != nil || string(again) != "x"+string(once) {
				t.Fatalf("%q and %q: two forms, %v", text, other, err)
			}
		}
	})
}

// decodedForm is the canonical form as json.Decoder's tokens give it, but for
// half surrogates, which it can't tell apart.
func decodedForm(text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return nil, errJSONUTF8
	}
	if !json.Valid(text) { // Decoder.Token alone is lenient
		return nil, errors.New("not JSON")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	b, err := decodedValue(dec, text, 1)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows")
	}
	return b, nil
}

func decodedValue(dec *json.Decoder, text []byte, depth int) ([]byte, error) {
	start := dec.InputOffset()
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	spelling := func(s string) string {
		if !strings.ContainsRune(s, utf8.RuneError) {
			return s
		}
		raw := text[start:dec.InputOffset()]
		raw = raw[bytes.IndexByte(raw, '"')+1:]
		return string(unescape(raw[:len(raw)-1]))
	}
	switch v := token.(type) {
	case nil:
		return []byte("n"), nil
	case bool:
		return []byte(fmt.Sprint(v)[:1]), nil
	case json.Number:
		return appendString([]byte("#"), string(v)), nil
	case string:
		return appendString([]byte(`"`), spelling(v)), nil
	}
	if depth > 10000 {
		return nil, errors.New("too deep")
	}
	type pair struct {
		name  string
		value []byte
	}
	var pairs []pair
	object := token == json.Delim('{')
	for dec.More() {
		var p pair
		if object {
			start = dec.InputOffset()
			token, err := dec.Token()
			if err != nil {
				return nil, err
			}
			name, _ := token.(string)
			p.name = spelling(name)
		}
		if p.value, err = decodedValue(dec, text, depth+1); err != nil {
			return nil, err
		}
		pairs = append(pairs, p)
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if !object {
		b := []byte("[")
		for _, p := range pairs {
			b = append(b, p.value...)
		}
		return append(b, ']'), nil
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(a.name, b.name) })
	h := sha256.New()
	for i, p := range pairs {
		if i > 0 && p.name == pairs[i-1].name {
			return nil, errors.New("twice")
		}
		h.Write(append(appendString(nil, p.name), p.value...))
	}
	return h.Sum([]byte("{")), nil
}
