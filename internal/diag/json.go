package diag

import (
	"bytes"
	"encoding/json"
	"unicode/utf16"
	"unicode/utf8"
)

// Record is a diagnostic for programs. Its names are part of the interface to
// users.
type Record struct {
	File string `json:"file"`
	// Line and Col are those of Pos, 0 if they aren't known.
	Line int `json:"line"`
	Col  int `json:"col"`
	// Len counts characters, 0 if it isn't known.
	Len      int    `json:"len"`
	Severity string `json:"severity"`
	Rule     string `json:"rule"`
	Message  string `json:"message"`
}

// Records are the diagnostics of s, sorted; an empty list for none.
func Records(s *Set) []Record {
	records := []Record{}
	for _, d := range s.All() {
		records = append(records, Record{d.Pos.File, d.Pos.Line, d.Pos.Col, d.Len, d.Severity.String(), d.Rule, d.Message})
	}
	return records
}

// MarshalJSON is v as JSON, indented if indent isn't empty, and with a line end.
// Characters that must not reach a terminal are escaped, as Escape has it.
func MarshalJSON(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return escapeJSON(b.Bytes()), nil
}

// escapeJSON escapes the hidden characters. Those that JSON itself doesn't
// escape only stand in strings, but for the line ends of our own.
func escapeJSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == '\n' || !hidden(r):
			out = append(out, text[:n]...)
		case r < 0x10000:
			out = appendEscape(out, r)
		default:
			high, low := utf16.EncodeRune(r)
			out = appendEscape(appendEscape(out, high), low)
		}
		text = text[n:]
	}
	return out
}

func appendEscape(out []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	return append(out, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
