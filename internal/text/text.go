// Package text prepares a stranger's words for code that is generated.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// OneLine keeps s on one line, with single spaces and without what can't be seen.
func OneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r) || r == utf8.RuneError:
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// LowerFirst begins a Go name in lower case, which takes it out of the exports.
func LowerFirst(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[size:]
}
