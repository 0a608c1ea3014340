package tables

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/jinzhu/inflection"

	"github.com/idemgen/idemgen/internal/config"
)

// maxName is PostgreSQL's limit, in bytes.
const maxName = 63

// snake makes an identifier of any text: lower-case words of ASCII letters and
// digits, joined by _. It is empty when the text has none.
func snake(text string) string {
	var b strings.Builder
	runes := []rune(text)
	for i, r := range runes {
		switch {
		case r >= 'A' && r <= 'Z':
			// A word starts after a small letter or digit, and at the last
			// capital of several: orderID, HTTPServer.
			after := i > 0 && (isLower(runes[i-1]) || isDigit(runes[i-1]))
			last := i > 0 && isUpper(runes[i-1]) && i+1 < len(runes) && isLower(runes[i+1])
			if after || last {
				b.WriteByte('_')
			}
			b.WriteRune(r + 'a' - 'A')
		case isLower(r) || isDigit(r):
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	return strings.Join(strings.FieldsFunc(b.String(), func(r rune) bool { return r == '_' }), "_")
}

func isUpper(r rune) bool { return r >= 'A' && r <= 'Z' }
func isLower(r rune) bool { return r >= 'a' && r <= 'z' }
func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// plural and singular are as sqlc has them, so that its type names fit.
func plural(word string) string   { return inflectLast(word, inflection.Plural) }
func singular(word string) string { return inflectLast(word, inflection.Singular) }

func inflectLast(name string, inflect func(string) string) string {
	i := strings.LastIndexByte(name, '_') + 1
	return name[:i] + inflect(name[i:])
}

// clip shortens a name that is too long, and keeps it apart from others that
// begin alike.
func clip(name string, limit int) string {
	if len(name) <= limit {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	mark := "_" + hex.EncodeToString(sum[:4])
	return strings.TrimRight(name[:limit-len(mark)], "_") + mark
}

// object names a constraint or an index, as PostgreSQL would by itself.
func object(table, column, suffix string) string {
	if column != "" {
		table += "_" + column
	}
	return clip(table+"_"+suffix, maxName)
}

// systemColumns are those that every table has.
const systemColumns = " tableoid xmin cmin xmax cmax ctid "

// identifier makes name one that needs no quotes, neither in SQL nor in Go.
func identifier(name, fallback string) string {
	switch {
	case name == "":
		return fallback
	case isDigit(rune(name[0])):
		name = "n" + name
	}
	if config.Reserved(name) || strings.Contains(systemColumns, " "+name+" ") {
		name += "_"
	}
	return name
}

// names are taken, by what they are in the Go that sqlc makes.
type names map[string]bool

// columnID is a column's name in Go, but for capitals: sqlc drops the _.
func columnID(name string) string { return strings.ReplaceAll(name, "_", "") }

// tableID is a table's name in Go: that of one row.
func tableID(name string) string { return columnID(singular(name)) }

// take returns the first candidate that is free, or else the first with a number.
func (n names) take(limit int, id func(string) string, candidates ...string) string {
	for i := 1; ; i++ {
		for _, c := range candidates {
			c = clip(c, limit-4) // leaves room for the number
			if i > 1 {
				c = strings.TrimRight(c, "_") + "_" + strconv.Itoa(i)
			}
			if !n[id(c)] {
				n[id(c)] = true
				return c
			}
		}
	}
}
