package runtime

import (
	"fmt"
	"strings"
)

// role is what becomes of the value that a pointer names.
type role uint8

const (
	include role = iota // it counts, and nothing that no pointer includes
	exclude             // it doesn't count
	look                // its text is wanted
)

// cursor is a JSON pointer (RFC 6901) that was followed down to some value. It
// goes through objects only: a pointer that meets an array or a scalar on its
// way names nothing, since the index of an element isn't an identity.
type cursor struct {
	rest  string // what is left of the pointer, "" at the value that it names
	role  role
	index int // among the pointers of its role
}

func appendCursors(cursors []cursor, role role, pointers []string) []cursor {
	for i, pointer := range pointers {
		cursors = append(cursors, cursor{rest: pointer, role: role, index: i})
	}
	return cursors
}

// descend returns the cursors that go on through the member with this name.
func descend(cursors []cursor, name []byte) []cursor {
	var next []cursor
	for _, cur := range cursors {
		if rest, ok := cutToken(cur.rest, name); ok {
			cur.rest = rest
			next = append(next, cur)
		}
	}
	return next
}

// cutToken cuts a pointer's first token off, if it is name. It looks at no
// more than name's length, so that following pointers stays linear.
func cutToken(pointer string, name []byte) (rest string, ok bool) {
	if pointer == "" || pointer[0] != '/' {
		return "", false
	}
	pointer = pointer[1:]
	for _, want := range name {
		if pointer == "" || pointer[0] == '/' {
			return "", false
		}
		got, size := pointer[0], 1
		if got == '~' {
			switch {
			case strings.HasPrefix(pointer, "~0"):
				size = 2
			case strings.HasPrefix(pointer, "~1"):
				got, size = '/', 2
			default:
				return "", false
			}
		}
		if got != want {
			return "", false
		}
		pointer = pointer[size:]
	}
	return pointer, pointer == "" || pointer[0] == '/'
}

// checkPointer refuses what isn't a JSON pointer, and so would name nothing.
func checkPointer(pointer string) error {
	if pointer != "" && pointer[0] != '/' {
		return fmt.Errorf("%q isn't a JSON pointer: it must begin with a slash", pointer)
	}
	for i := range len(pointer) {
		if pointer[i] != '~' {
			continue
		}
		if next := pointer[i+1:]; next == "" || next[0] != '0' && next[0] != '1' {
			return fmt.Errorf("%q isn't a JSON pointer: a tilde is written ~0, a slash in a name ~1", pointer)
		}
	}
	return nil
}
