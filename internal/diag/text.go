package diag

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Sources gives the text of a file by the name that Pos.File has, for the line
// that is shown under a message. A nil Sources, or false, means no such line.
type Sources func(path string) ([]byte, bool)

// Style is how diagnostics are written for people. The zero value is plain.
type Style struct {
	// Color marks what to look at first, with the escape codes of ANSI terminals.
	Color bool
	// ReadOnly is for a command that writes nothing anyway, and needn't say so.
	ReadOnly bool
}

// The codes of Select Graphic Rendition (ECMA-48, 8.3.117).
const (
	bold   = "\x1b[1m"
	faint  = "\x1b[2m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	reset  = "\x1b[0m"
)

func (st Style) paint(code, text string) string {
	if !st.Color || text == "" {
		return text
	}
	return code + text + reset
}

// PrintText is Print in the plain style.
func PrintText(w io.Writer, s *Set, src Sources) error { return Style{}.Print(w, s, src) }

// Print writes s for a terminal: message, source line and carets for each
// diagnostic, then their number. It writes nothing for an empty set. Control
// characters of messages, names and sources are escaped: they come from files
// that nobody has vetted.
func (st Style) Print(w io.Writer, s *Set, src Sources) error {
	all := s.All()
	if len(all) == 0 {
		return nil
	}
	var b bytes.Buffer
	texts := make(map[string][][]byte)
	var warnings int
	for _, d := range all {
		label, color := "", red
		if d.Severity == Warning {
			color = yellow
			label = st.paint(color, "warning:") + " "
			warnings++
		}
		fmt.Fprintf(&b, "%s %s%s %s\n", st.paint(bold, Escape(d.Pos.String())+":"), label, Escape(d.Message), st.paint(faint, "["+Escape(d.Rule)+"]"))
		lines, ok := texts[d.Pos.File]
		if !ok {
			lines = sourceLines(src, d.Pos.File)
			texts[d.Pos.File] = lines
		}
		if d.Pos.Line >= 1 && d.Pos.Line <= len(lines) && d.Pos.Col >= 1 {
			text, carets := excerpt(lines[d.Pos.Line-1], d.Pos.Col, d.Len)
			number := fmt.Sprintf("%5d", d.Pos.Line)
			fmt.Fprintf(&b, "%s\n", strings.TrimRight(number+" | "+text, " "))
			marks := strings.TrimLeft(carets, " ")
			fmt.Fprintf(&b, "%s | %s%s\n", strings.Repeat(" ", len(number)), carets[:len(carets)-len(marks)], st.paint(color, marks))
		}
	}
	b.WriteString(st.closing(len(all)-warnings, warnings))
	_, err := w.Write(b.Bytes())
	return err
}

// closing is the last line.
func (st Style) closing(problems, warnings int) string {
	var counts []string
	if problems > 0 {
		counts = append(counts, st.paint(red, counted(problems, "problem")))
	}
	if warnings > 0 {
		counts = append(counts, st.paint(yellow, counted(warnings, "warning")))
	}
	text := strings.Join(counts, " and ")
	if problems > 0 && !st.ReadOnly {
		text += "; nothing was written"
	}
	return text + "\n"
}

func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

func sourceLines(src Sources, file string) [][]byte {
	if src == nil {
		return nil
	}
	text, ok := src(file)
	if !ok {
		return nil
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	return bytes.Split(text, []byte("\n"))
}
