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
// diagnostic, then their number. It writes nothing for an empty set. Control
// characters of messages, names and sources are escaped: they come from files
// that nobody has vetted.
func PrintText(w io.Writer, s *Set, src Sources) error {
	all := s.All()
	if len(all) == 0 {
		return nil
	}
	var b bytes.Buffer
	texts := make(map[string][][]byte)
	for _, d := range all {
		fmt.Fprintf(&b, "%s: %s [%s]\n", Escape(d.Pos.String()), Escape(d.Message), Escape(d.Rule))
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
	noun := "problems"
	if len(all) == 1 {
		noun = "problem"
	}
	fmt.Fprintf(&b, "%d %s; nothing was written\n", len(all), noun)
	_, err := w.Write(b.Bytes())
	return err
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
