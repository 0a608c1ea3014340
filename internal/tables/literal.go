package tables

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// forGoose is what goose looks for in lines, whether they are comments or not.
var forGoose = regexp.MustCompile(`(?i);|--|\+goose`)

// literal makes a string literal of any text. It stays on one line, and nothing
// for goose is in it.
func literal(text string) string {
	if !strings.Contains(text, `\`) && !forGoose.MatchString(text) && !strings.ContainsFunc(text, unprintable) {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	var b strings.Builder
	b.WriteString("E'")
	for _, r := range text {
		switch {
		case r == '\'':
			b.WriteString("''")
		case r == '\\':
			b.WriteString(`\\`)
		case r == ';', r == '-', r == '+', r < 0x80 && unprintable(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case unprintable(r) && r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		case unprintable(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// unprintable finds what an editor or a terminal hides or obeys. A space that
// isn't U+0020 is among it.
func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// storable tells whether PostgreSQL's text can hold it.
func storable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsRune(text, 0)
}

// integer is the SQL of a whole number in JSON, "" for what the type doesn't hold.
func integer(json, typ string) string {
	bits := 64
	if typ == "integer" {
		bits = 32
	}
	n, err := strconv.ParseInt(json, 10, bits)
	if err != nil {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// number is the SQL of a number in JSON.
func number(json string) string {
	f, err := strconv.ParseFloat(json, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return ""
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
