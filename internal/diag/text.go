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

// PrintText writes s for a terminal: message, source line and carets for each
// diagnostic, then their number. Where there is an error nothing was written. It writes nothing for an empty set. Control
// characters of messages, names and sources are escaped: they come from files
// that nobody has vetted.
func PrintText(w io.Writer, s *Set, src Sources) error {
	all := s.All()
	if len(all) == 0 {
		return nil
	}
	var b bytes.Buffer
	texts := make(map[string][][]byte)
	var warnings int
	for _, d := range all {
		label := ""
		if d.Severity == Warning {
			label = "warning: "
			warnings++
		}
		fmt.Fprintf(&b, "%s: %s%s [%s]\n", Escape(d.Pos.String()), label, Escape(d.Message), Escape(d.Rule))
		lines, ok := texts[d.Pos.File]
		if !ok {
			lines = sourceLines(src, d.Pos.File)
			texts[d.Pos.File] = lines
		}
		if d.Pos.Line >= 1 && d.Pos.Line <= len(lines) && d.Pos.Col >= 1 {
			text, carets := excerpt(lines[d.Pos.Line-1], d.Pos.Col, d.Len)
			number := fmt.Sprintf("%5d", d.Pos.Line)
			fmt.Fprintf(&b, "%s\n", strings.TrimRight(number+" | "+text, " "))
			fmt.Fprintf(&b, "%s | %s\n", strings.Repeat(" ", len(number)), carets)
		}
	}
	b.WriteString(closing(len(all)-warnings, warnings))
	_, err := w.Write(b.Bytes())
	return err
}

// closing is the last line.
func closing(problems, warnings int) string {
	switch {
	case problems == 0:
		return counted(warnings, "warning") + "\n"
	case warnings == 0:
		return counted(problems, "problem") + "; nothing was written\n"
	}
	return counted(problems, "problem") + " and " + counted(warnings, "warning") + "; nothing was written\n"
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
