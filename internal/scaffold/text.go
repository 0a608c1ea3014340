package scaffold

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// oneLine keeps a stranger's text on one line, without what can't be seen.
func oneLine(s string) string {
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

// maxSummary is where a summary stops being one.
const maxSummary = 120

// summary is an operation's, as the end of a sentence.
func summary(s string) string {
	s = strings.TrimRight(oneLine(s), ".")
	if len(s) > maxSummary {
		return ""
	}
	return s
}

func lowerFirst(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[size:]
}

// englishList is `"a", "b" and "c"`.
func englishList(items []string) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = fmt.Sprintf("%q", item)
	}
	if len(quoted) < 2 {
		return strings.Join(quoted, "")
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + " and " + quoted[len(quoted)-1]
}
