package scaffold

import (
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/internal/text"
)

// maxSummary is where a summary stops being one.
const maxSummary = 120

// summary is an operation's, as the end of a sentence.
func summary(s string) string {
	s = strings.TrimRight(text.OneLine(s), ".")
	if len(s) > maxSummary {
		return ""
	}
	return s
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
