package diag

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// PrintGitHub writes s as workflow commands of GitHub Actions, which shows them
// at their lines of a pull request. rename gives a file's path from the root of
// the repository.
func PrintGitHub(w io.Writer, s *Set, rename func(string) string) error {
	var b bytes.Buffer
	for _, d := range s.All() {
		fmt.Fprintf(&b, "::%s file=%s", d.Severity, property(rename(d.Pos.File)))
		if d.Pos.Line > 0 {
			fmt.Fprintf(&b, ",line=%d", d.Pos.Line)
		}
		if d.Pos.Line > 0 && d.Pos.Col > 0 {
			fmt.Fprintf(&b, ",col=%d,endColumn=%d", d.Pos.Col, d.Pos.Col+max(d.Len, 1))
		}
		fmt.Fprintf(&b, ",title=%s::%s\n", property(d.Rule), data.Replace(Escape(d.Message)))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// What the runner undoes.
var (
	data       = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	properties = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func property(s string) string { return properties.Replace(Escape(s)) }
