package runtime

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCutToken(t *testing.T) {
	for _, tt := range []struct {
		pointer, name, rest string
		ok                  bool
	}{
		{"/a", "a", "", true},
		{"/a/b", "a", "/b", true},
		{"/a/", "a", "/", true},
		{"/", "", "", true},
		{"//a", "", "/a", true},
		{"/a~1b", "a/b", "", true},
		{"/a~0b", "a~b", "", true},
		{"/~01", "~1", "", true},
		{"/~0~1/x", "~/", "/x", true},
		{"/é", "é", "", true},
		{"/ab", "a", "", false},
		{"/a", "ab", "", false},
		{"/a/b", "a/b", "", false},
		{"/a", "", "", false},
		{"/", "a", "", false},
		{"", "", "", false},
		{"a", "a", "", false},
		{"/~2", "~2", "", false},
		{"/~", "~", "", false},
	} {
		rest, ok := cutToken(tt.pointer, []byte(tt.name))
		if ok != tt.ok || ok && rest != tt.rest {
			t.Errorf("%q, %q: %q, %v, want %q, %v", tt.pointer, tt.name, rest, ok, tt.rest, tt.ok)
		}
	}
}

func TestCheckPointer(t *testing.T) {
	for _, pointer := range []string{"", "/", "/a", "/a/b", "/~0~1", "//", "/é"} {
		if err := checkPointer(pointer); err != nil {
			t.Errorf("%q: %v", pointer, err)
		}
	}
	for _, pointer := range []string{"a", "a/b", "#/a", "/~", "/~2", "/a~", "/a~/b", " /a"} {
		if checkPointer(pointer) == nil {
			t.Errorf("%q isn't a JSON pointer", pointer)
		}
	}
}

// To exclude a member is to send the request without it; to include one is to
// send nothing else, whatever is beside it.
func TestPointerProperties(t *testing.T) {
	checked := 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		root := randomJSON(rng)
		escape := strings.NewReplacer("~", "~0", "/", "~1")
		var walk func(n *node, pointer string)
		walk = func(n *node, pointer string) {
			if n.kind != '{' {
				return
			}
			for i := range n.names {
				checked++
				at, member := pointer+"/"+escape.Replace(n.names[i]), n.members[i]
				included := chosen(t, include, at, []byte(root.text(rng, true)))
				if want := mustForm(t, wrap(at, []byte(member.text(nil, false)))); included != want {
					t.Fatalf("seed %d: %q included in %s: %q, want %q", seed, at, root.text(nil, false), included, want)
				}
				excluded := chosen(t, exclude, at, []byte(root.text(rng, true)))
				names, members := n.names, n.members
				n.names, n.members = slices.Delete(slices.Clone(names), i, i+1), slices.Delete(slices.Clone(members), i, i+1)
				without := root.text(rng, true)
				n.names, n.members = names, members
				if excluded != canonical(t, without) {
					t.Fatalf("seed %d: %q excluded from %s isn't %s", seed, at, root.text(nil, false), without)
				}
				walk(member, at)
			}
		}
		walk(root, "")
	}
	if checked < 1000 {
		t.Errorf("only %d members were looked at", checked)
	}
}

// Following pointers costs no more than the body's size, for each pointer.
func BenchmarkPointerHostile(b *testing.B) {
	const depth = 9000
	text := []byte(strings.Repeat(`{"a":`, depth) + `{"b":1}` + strings.Repeat("}", depth))
	deep := strings.Repeat("/a", depth)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := appendCanonicalJSON(nil, text, appendCursors(nil, exclude, []string{deep + "/b", deep + "/c"})); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzPointer compares what a pointer finds with a simple walk over the
// decoded value, and checks what including and excluding it means.
func FuzzPointer(f *testing.F) {
	f.Add("/a/b", []byte(`{"a":{"b":[1],"c":2}}`))
	f.Add("/a~1b/~01", []byte(`{"a/b":{"~1":null}}`))
	f.Add("", []byte(`[{"a":1}]`))
	f.Add("/", []byte(`{"":"x"}`))
	f.Add("/a/0", []byte(`{"a":[1],"\u0061b":{}}`))
	f.Add("/~2", []byte(`{"~2":1}`))
	f.Fuzz(func(t *testing.T, pointer string, text []byte) {
		if !utf8.ValidString(pointer) {
			return
		}
		whole, err := appendCanonicalJSON(nil, text, nil)
		if err != nil || strings.ContainsRune(string(text), utf8.RuneError) || strings.Contains(string(text), `\u`) {
			return // encoding/json replaces halves of surrogates
		}
		c := canonicalizer{text: text, found: make([][]byte, 1)}
		if err := c.value(appendCursors(nil, look, []string{pointer}), false); err != nil || len(c.out) > 0 {
			t.Fatalf("%q in %q: %v, and %q was kept", pointer, text, err, c.out)
		}
		want := point(t, pointer, text)
		if (want == nil) != (c.found[0] == nil) {
			t.Fatalf("%q in %q: %q, want %q", pointer, text, c.found[0], want)
		}
		if checkPointer(pointer) != nil && want != nil {
			t.Fatalf("%q found %q", pointer, want)
		}
		included := chosen(t, include, pointer, text)
		excluded := chosen(t, exclude, pointer, text)
		if want == nil {
			if included != "" || excluded != string(whole) {
				t.Fatalf("%q in %q names nothing, but %q, %q", pointer, text, included, excluded)
			}
			return
		}
		form, wantForm := mustForm(t, c.found[0]), mustForm(t, want)
		if form != wantForm {
			t.Fatalf("%q in %q: %q, want %q", pointer, text, c.found[0], want)
		}
		if included != mustForm(t, wrap(pointer, want)) {
			t.Fatalf("%q included in %q: %q", pointer, text, included)
		}
		if excluded == string(whole) {
			t.Fatalf("%q excluded from %q: still there", pointer, text)
		}
	})
}

func chosen(t *testing.T, role role, pointer string, text []byte) string {
	t.Helper()
	b, err := appendCanonicalJSON(nil, text, appendCursors(nil, role, []string{pointer}))
	if err != nil {
		t.Fatalf("%q of %q: %v", pointer, text, err)
	}
	return string(b)
}

func mustForm(t *testing.T, text []byte) string {
	t.Helper()
	return canonical(t, string(text))
}

var unescapeToken = strings.NewReplacer("~0", "~", "~1", "/")

func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	parts := strings.Split(pointer[1:], "/")
	for i, part := range parts {
		parts[i] = unescapeToken.Replace(part)
	}
	return parts
}

// point is the value at the pointer, by way of encoding/json.
func point(t *testing.T, pointer string, text []byte) []byte {
	t.Helper()
	if checkPointer(pointer) != nil {
		return nil
	}
	value := json.RawMessage(text)
	for _, token := range tokens(pointer) {
		var object map[string]json.RawMessage
		if json.Unmarshal(value, &object) != nil || object == nil {
			return nil
		}
		member, ok := object[token]
		if !ok {
			return nil
		}
		value = member
	}
	return value
}

// wrap puts a value where the pointer says.
func wrap(pointer string, value []byte) []byte {
	text := string(value)
	for _, token := range slices.Backward(tokens(pointer)) {
		var name strings.Builder
		enc := json.NewEncoder(&name)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(token)
		text = "{" + name.String() + ":" + text + "}"
	}
	return []byte(text)
}
