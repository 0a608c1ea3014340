package enrich

import (
	"regexp"
	"strings"
)

// ulidPattern is Crockford's base 32 as the runtime takes it.
const ulidPattern = "^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$"

var (
	repetition = regexp.MustCompile(`^\{[0-9]+(,[0-9]*)?\}`)
	hexEscape  = regexp.MustCompile(`^x[0-9A-Fa-f]{2}`)
)

// portable reports whether a pattern in Go's syntax means the same in that of ECMA-262
// with the flag u, which OpenAPI's patterns are in. It says no where it isn't sure.
func portable(pattern string) bool {
	inClass := false
	for i := 0; i < len(pattern); i++ {
		rest := pattern[i:]
		switch c := rest[0]; {
		case c == '\\':
			if len(rest) < 2 || !portableEscape(rest[1:], inClass) {
				return false
			}
			i++
		case inClass && c == ']':
			inClass = false
		case inClass && c == '[':
			return false // [:alpha:], or a bracket that one of the two wants escaped
		case inClass:
		case c == '[':
			inClass = true
			if rest = strings.TrimPrefix(rest[1:], "^"); strings.HasPrefix(rest, "]") {
				return false // Go takes it as one of the class, ECMA-262 as its end
			}
		case c == '(' && strings.HasPrefix(rest, "(?") && !strings.HasPrefix(rest, "(?:"):
			return false
		case c == '{':
			m := repetition.FindString(rest)
			if m == "" {
				return false
			}
			i += len(m) - 1
		case c == '}', c == ']':
			return false
		}
	}
	return pattern != ""
}

func portableEscape(after string, inClass bool) bool {
	switch c := after[0]; {
	case strings.IndexByte(`dDwWsSfnrtv^$\.*+?()[]{}|/`, c) >= 0:
		return true
	case c == 'x':
		return hexEscape.MatchString(after)
	case c == 'b' || c == 'B':
		return !inClass
	}
	return after[0] == '-' && inClass
}
