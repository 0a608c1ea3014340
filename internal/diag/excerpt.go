package diag

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lines longer than this are cut: minified JSON holds the whole document in one.
const (
	maxWidth = 120
	before   = 40 // columns kept in front of the first caret
)

// cell is one character of the source line as a terminal shows it.
type cell struct {
	text  string
	width int
}

// excerpt renders a source line and the carets under length characters from
// column col (1-based), cut to a window around them when the line is long.
func excerpt(line []byte, col, length int) (text, carets string) {
	line = bytes.TrimSuffix(line, []byte("\r"))
	// Only what the window can show is decoded: a line may be megabytes long.
	skipped, rest := 0, line
	for skipped < col-1-before && len(rest) > 0 {
		_, n := utf8.DecodeRune(rest)
		rest = rest[n:]
		skipped++
	}
	whole := utf8.RuneCount(line[:min(len(line), 4*maxWidth)]) <= maxWidth && len(line) <= 4*maxWidth
	if whole {
		skipped, rest = 0, line
	}
	var out, mark strings.Builder
	if skipped > 0 {
		out.WriteString("...")
		mark.WriteString("   ")
	}
	first, last := col-1, col-1+max(length, 1)
	width, i := 0, skipped
	for ; len(rest) > 0; i++ {
		r, n := utf8.DecodeRune(rest)
		if !whole && width >= maxWidth {
			out.WriteString("...")
			break
		}
		c := show(r, rest[:n])
		rest = rest[n:]
		out.WriteString(c.text)
		width += c.width
		switch {
		case i < first:
			mark.WriteString(strings.Repeat(" ", c.width))
		case i < last:
			mark.WriteString(strings.Repeat("^", c.width))
		}
	}
	if i <= first { // past the end: an unterminated token, or an empty line
		mark.WriteString("^")
	}
	return strings.TrimRight(out.String(), " "), mark.String()
}

// show says how a character is printed. Tabs become four spaces, so that the
// carets stand right whatever the terminal's tab stops are.
func show(r rune, raw []byte) cell {
	switch {
	case r == '\t':
		return cell{"    ", 4}
	case r == utf8.RuneError && len(raw) == 1:
		s := fmt.Sprintf(`\x%02x`, raw[0])
		return cell{s, len(s)}
	case hidden(r):
		s := escapeRune(r)
		return cell{s, len(s)}
	case unicode.In(r, unicode.Mn, unicode.Me):
		return cell{string(raw), 0}
	case wide(r):
		return cell{string(raw), 2}
	}
	return cell{string(raw), 1}
}

// hidden reports characters that must not reach a terminal: controls, which can
// move the cursor, and format characters, which can reorder or hide text.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Cs)
}

func escapeRune(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < 0x100:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// Escape makes s safe to print on one line: control characters become \\x1b and so on.
func Escape(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case hidden(r):
			b.WriteString(escapeRune(r))
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// wide reports characters that take two columns (UAX #11, W and F, in coarse
// ranges; a wrong guess only shifts a caret).
func wide(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf && r != 0x303f,
		r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60,
		r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1f64f,
		r >= 0x1f680 && r <= 0x1f6ff, r >= 0x1f900 && r <= 0x1faff,
		r >= 0x20000 && r <= 0x3fffd:
		return true
	}
	return false
}
