package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func natural(body string, pointers ...string) (string, error) {
	return naturalKey(pointers, httptest.NewRequest(http.MethodPost, "/", http.NoBody), []byte(body))
}

func TestNaturalKey(t *testing.T) {
	for _, tt := range []struct {
		body     string
		pointers []string
		want     string
	}{
		{`{"id":"evt_1"}`, []string{"/id"}, `evt_1`},
		{` { "other" : {"id":[1]} , "id" : "evt_1" } `, []string{"/id"}, `evt_1`},
		{`{"a":{"id":"x"},"id":"y"}`, []string{"/a/id"}, `x`},
		{`{"id":"\u00e9\"\\"}`, []string{"/id"}, `é"\`},
		{`{"id":9007199254740993}`, []string{"/id"}, `9007199254740993`},
		{`{"id":1.0 }`, []string{"/id"}, `1.0`},
		{`{"id":"1.0"}`, []string{"/id"}, `1.0`},
		{`{"id":true}`, []string{"/id"}, `true`},
		{`{"a/b":{"~":"x"}}`, []string{"/a~1b/~0"}, `x`},
		{`"evt_1"`, []string{""}, `evt_1`},
		{`{"a":1,"b":"x"}`, []string{"/a", "/b"}, `[1,"x"]`},
		{`{"b":"x","a":1}`, []string{"/a", "/b"}, `[1,"x"]`},
		{`{"a":"1","b":"x"}`, []string{"/a", "/b"}, `["1","x"]`},
		{`{"a":"","b":false}`, []string{"/a", "/b"}, `["",false]`},
		{`{"a":"x\",\"y","b":"é\u0000"}`, []string{"/a", "/b"}, `["x\",\"y","\u00e9\x00"]`},
		{`{"a":"\ud800","b":"\ufffd"}`, []string{"/a", "/b"}, `["\xed\xa0\x80","\ufffd"]`},
		{`{"a":1}`, []string{"/a", "/a"}, `[1,1]`},
	} {
		if got, err := natural(tt.body, tt.pointers...); got != tt.want || err != nil {
			t.Errorf("%s at %s: %q, %v, want %q", tt.body, tt.pointers, got, err, tt.want)
		}
	}
	long := strings.Repeat("é", 1000)
	if got, err := natural(`{"id":"`+long+`"}`, "/id"); got != long || err != nil {
		t.Errorf("a long key: %d bytes, %v", len(got), err)
	}
}

func TestNaturalKeyRefuses(t *testing.T) {
	for _, tt := range []struct {
		body string
		is   error
		says string
	}{
		{`{}`, errNaturalMissing, "/b/c of the body is missing"},
		{``, errNaturalMissing, "missing"},
		{`{"a":1,"b":1}`, errNaturalMissing, "/b/c of the body is missing"},
		{`{"a":1,"b":[{"c":1}]}`, errNaturalMissing, "/b/c of the body is missing"},
		{`{"a":1,"b":{"c":null}}`, errNaturalMissing, "/b/c of the body is null"},
		{`{"a":1,"b":{"C":1}}`, errNaturalMissing, "/b/c of the body is missing"},
		{`{"b":{"c":1}}`, errNaturalMissing, "/a of the body is missing"},
		{`{"a":1,"b":{"c":{}}}`, errNaturalObject, "/b/c of the body is an object"},
		{`{"a":1,"b":{"c":[1]}}`, errNaturalArray, "/b/c of the body is an array"},
		{`{"a":1,"a":2,"b":{"c":1}}`, nil, `"a" is there twice`},
		{`{"a":1,"b":{"c":1},"x":[{"y":1,"y":1}]}`, nil, `"y" is there twice`},
		{`{"a":1,"b":{"c":1}} x`, nil, "isn't JSON"},
		{`a=1`, nil, "isn't JSON"},
		{"{\"a\":\"\xff\"}", nil, "UTF-8"},
	} {
		_, err := natural(tt.body, "/b/c", "/a")
		if err == nil || tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q", tt.body, err, tt.says)
		}
		if tt.is == nil && errors.Is(err, errNaturalMissing) {
			t.Errorf("%s: %v counts as missing", tt.body, err)
		}
	}
	if _, err := natural(`{"a":""}`, "/a"); !errors.Is(err, errNaturalEmpty) {
		t.Errorf("an empty key: %v", err)
	}
	if _, err := natural(`{}`); !errors.Is(err, errNaturalMissing) {
		t.Errorf("no pointers: %v", err)
	}
	r := httptest.NewRequest(http.MethodPost, "/", http.NoBody)
	r.Header.Set("Content-Encoding", "gzip")
	if _, err := naturalKey([]string{"/a"}, r, []byte(`{"a":1}`)); !errors.Is(err, errNaturalEncoded) {
		t.Errorf("an encoded body: %v", err)
	}
}

func BenchmarkNaturalKey(b *testing.B) {
	r := httptest.NewRequest(http.MethodPost, "/", http.NoBody)
	for name, pointers := range map[string][]string{"one": {"/customer_id"}, "two": {"/customer_id", "/shipping/zip"}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := naturalKey(pointers, r, []byte(orderBody)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// FuzzNaturalKey: white space and the order of members don't change a key, a
// key of several values is ASCII and says each of them, and no other body has
// the same.
func FuzzNaturalKey(f *testing.F) {
	f.Add([]byte(`{"a":"x","b":1}`), "x", "y")
	f.Add([]byte(`{"b":{"a":null},"a":true}`), `","`, `"`)
	f.Add([]byte(`{"a":"\ud800\n","b":"1"}`), "", "1")
	f.Add([]byte(`[]`), "\x00é", "\\")
	f.Fuzz(func(t *testing.T, body []byte, x, y string) {
		for _, pointers := range [][]string{{"/a"}, {"/a", "/b"}, {"/b/a", "/a"}} {
			key, err := natural(string(body), pointers...)
			if err != nil {
				if key != "" {
					t.Fatalf("%q: a key and %v", body, err)
				}
				continue
			}
			if key == "" || len(key) > 4*len(body)+16 {
				t.Fatalf("%q: a key of %d bytes", body, len(key))
			}
			var indented bytes.Buffer
			if err := json.Indent(&indented, body, " ", "\t"); err != nil {
				t.Fatalf("%q has a key but isn't JSON: %v", body, err)
			}
			if again, err := natural(indented.String(), pointers...); again != key || err != nil {
				t.Fatalf("%q: %q, but indented %q, %v", body, key, again, err)
			}
			if len(pointers) > 1 && !isKey(key[:min(len(key), 255)]) {
				t.Fatalf("%q: %q isn't printable ASCII", body, key)
			}
		}
		if !utf8.ValidString(x) || !utf8.ValidString(y) {
			return
		}
		a, _ := json.Marshal(x)
		b, _ := json.Marshal(y)
		key, err := natural(`{"b":`+string(b)+`,"a":`+string(a)+`}`, "/a", "/b")
		if want := "[" + strconv.QuoteToASCII(x) + "," + strconv.QuoteToASCII(y) + "]"; key != want || err != nil {
			t.Fatalf("%q, %q: %q, %v, want %q", x, y, key, err, want)
		}
		if one, err := natural(`{"a":`+string(a)+`}`, "/a"); one != x || (err == nil) != (x != "") {
			t.Fatalf("%q: %q, %v", x, one, err)
		}
	})
}
