package runtime

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

func TestParseKey(t *testing.T) {
	long := strings.Repeat("k", maxKeyLength)
	for value, want := range map[string]string{
		`k`: `k`, `"k"`: `k`, ` k `: `k`, "\t\"k\"\t": `k`, `a b`: `a b`, `" k "`: ` k `, `"\"\\"`: `"\`, `a"b`: `a"b`, `a\b`: `a\b`,
		`'k'`: `'k'`, `:aGk=:`: `:aGk=:`, long: long, `"` + long + `"`: long, `"` + strings.Repeat(`\"`, maxKeyLength) + `"`: strings.Repeat(`"`, maxKeyLength),
	} {
		if got, err := parseKey(value); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", value, got, err, want)
		}
	}
	for value, want := range map[string]error{
		``: errKeyEmpty, ` `: errKeyEmpty, `""`: errKeyEmpty, long + "k": errKeyLong, `"` + long + `k"`: errKeyLong,
		`"`: errKeyString, `"k`: errKeyString, `"k"x`: errKeyString, `"k";p=1`: errKeyString, `"k", "l"`: errKeyString, `"\n"`: errKeyString, `"k\`: errKeyString, `"k\"`: errKeyString,
		"é": errKeyCharacter, `"é"`: errKeyCharacter, "a\tb": errKeyCharacter, "a\x7f": errKeyCharacter, "a\x00": errKeyCharacter, "\"a\nb\"": errKeyCharacter,
	} {
		//nolint:errorlint // these very errors
		if got, err := parseKey(value); err != want {
			t.Errorf("%q: %q, %v, want %v", value, got, err, want)
		}
	}
}

func TestReadKey(t *testing.T) {
	k := Key{Header: "x-request-key"}
	for name, tt := range map[string]struct {
		values []string
		want   error
	}{
		"missing":          {nil, errKeyMissing},
		"one":              {[]string{"k"}, nil},
		"repeated":         {[]string{"k", "l"}, errKeyRepeated},
		"repeated, though": {[]string{"k", "k"}, errKeyRepeated},
		"empty":            {[]string{""}, errKeyEmpty},
	} {
		h := http.Header{"X-Request-Key": tt.values, DefaultKeyHeader: {"other"}}
		//nolint:errorlint // these very errors
		if _, err := k.read(h); err != tt.want {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
}

func TestKeyFormats(t *testing.T) {
	for key, want := range map[string][2]bool{ // a UUID, a ULID
		"6ba7b810-9dad-11d1-80b4-00c04fd430c8": {true, false},
		"6BA7B810-9DAD-11D1-80B4-00C04FD430C8": {true, false},
		"6ba7b8109dad11d180b400c04fd430c8":     {false, false},
		"6ba7b810-9dad-11d1-80b4-00c04fd430cg": {false, false},
		"6ba7b810x9dad-11d1-80b4-00c04fd430c8": {false, false},
		"01ARZ3NDEKTSV4RRFFQ69G5FAV":           {false, true},
		"01arz3ndektsv4rrffq69g5fav":           {false, true},
		"81ARZ3NDEKTSV4RRFFQ69G5FAV":           {false, false},
		"01ARZ3NDEKTSV4RRFFQ69G5FAU":           {false, false},
		"01ARZ3NDEKTSV4RRFFQ69G5FA":            {false, false},
	} {
		if got := [2]bool{isUUID(key), isULID(key)}; got != want {
			t.Errorf("%s: %v, want %v", key, got, want)
		}
	}
}

func TestKeyLimits(t *testing.T) {
	digits := regexp.MustCompile(`^[0-9]+$`)
	for _, tt := range []struct {
		k    Key
		key  string
		says string // "" if the key is taken
	}{
		{Key{}, "k", ""},
		{Key{MinLength: 3}, "abc", ""},
		{Key{MinLength: 3}, "ab", "less than 3"},
		{Key{MaxLength: 3}, "abc", ""},
		{Key{MaxLength: 3}, "abcd", "more than 3"},
		{Key{Pattern: digits}, "123", ""},
		{Key{Pattern: digits}, "12a", "match"},
		{Key{Format: KeyUUID}, "6ba7b810-9dad-11d1-80b4-00c04fd430c8", ""},
		{Key{Format: KeyUUID}, "k", "UUID"},
		{Key{Format: KeyULID}, "01ARZ3NDEKTSV4RRFFQ69G5FAV", ""},
		{Key{Format: KeyULID}, "k", "ULID"},
	} {
		for _, value := range []string{tt.key, `"` + tt.key + `"`} {
			_, err := tt.k.read(http.Header{DefaultKeyHeader: {value}})
			if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%s with %+v: %v, want %q", value, tt.k, err, tt.says)
			}
		}
	}
}

var quoteKey = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// Any key can be sent as a String, and what is sent as anything is either
// refused or is a key.
func FuzzParseKey(f *testing.F) {
	for _, seed := range []string{`k`, `"k"`, `"\"\\"`, `a"b\`, ` k `, ``, `"`, `"k";p=1`, "é", strings.Repeat("k", 256), "a\x00b", `\`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		raw, rawErr := parseKey(s)
		if rawErr == nil && !isKey(raw) {
			t.Fatalf("%q: %q isn't a key", s, raw)
		}
		got, err := parseKey(`"` + quoteKey.Replace(s) + `"`)
		if isKey(s) != (err == nil) || err == nil && got != s {
			t.Fatalf("%q as a String: %q, %v", s, got, err)
		}
		if isKey(s) && strings.Trim(s, " ") == s && s[0] != '"' && (raw != s || rawErr != nil) {
			t.Fatalf("%q as it is: %q, %v", s, raw, rawErr)
		}
		if rawErr == nil { // what was accepted is the same key as its String
			if again, err := parseKey(`"` + quoteKey.Replace(raw) + `"`); again != raw || err != nil {
				t.Fatalf("%q: %q as a String is %q, %v", s, raw, again, err)
			}
		}
	})
}

func isKey(s string) bool {
	return len(s) >= 1 && len(s) <= 255 && !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r > 0x7e })
}
