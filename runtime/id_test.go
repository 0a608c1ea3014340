package runtime

import (
	"encoding/binary"
	"testing"
	"time"
)

func TestRecordsOfTimedKeysLieTogether(t *testing.T) {
	for key, made := range map[string]string{
		"017F22E2-79B0-7CC3-98C4-DC0C0C07398F": "2022-02-22T19:22:22Z", // RFC 9562, appendix A.6
		"017f22e2-79b0-7cc3-98c4-dc0c0c07398f": "2022-02-22T19:22:22Z",
		"01ARYZ6S41TSV4RRFFQ69G5FAV":           "2016-07-30T22:36:16Z", // of the ULID specification
	} {
		want, err := time.Parse(time.RFC3339, made)
		if err != nil {
			t.Fatal(err)
		}
		id := newID("scope", "operation", key)
		if got := binary.BigEndian.Uint32(id[:4]); int64(got) != want.Unix() {
			t.Errorf("the id of %s begins with %d, not with %d", key, got, want.Unix())
		}
	}
}

// What a key carries must not be all that counts: scope and operation still do.
func TestIDsDiffer(t *testing.T) {
	const timed = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
	seen, locks := map[ID]string{}, map[int64]string{}
	for _, of := range [][3]string{
		{"a", "b", timed}, {"a", "c", timed}, {"b", "b", timed}, {"ab", "", timed}, {"", "ab", timed},
		{"a", "b", "017F22E2-79B0-7CC3-98C4-DC0C0C07398F"}, // another key: they are compared as they are
		{"a", "b", "key"}, {"a", "c", "key"}, {"ab", "", "key"}, {"a", "", "bkey"},
	} {
		id := newID(of[0], of[1], of[2])
		if other, ok := seen[id]; ok {
			t.Errorf("%q has the id of %s", of, other)
		}
		if other, ok := locks[id.Lock()]; ok {
			t.Errorf("%q has the lock of %s", of, other)
		}
		seen[id], locks[id.Lock()] = of[2], of[2]
	}
	if first, again := newID("a", "b", timed), newID("a", "b", timed); first != again {
		t.Error("the id of one key isn't always the same")
	}
}
