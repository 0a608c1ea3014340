package output

import (
	"bytes"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/lock"
)

// Diff is the unified diff of all that Apply would write and delete, edited files
// included; empty if nothing. Line ends that git has changed don't count, and
// control characters are escaped: specs have them in their texts.
func (p *Plan) Diff(display func(string) string) []byte {
	var out bytes.Buffer
	for _, f := range p.Files {
		if f.State == Unchanged || f.State == Kept {
			continue
		}
		name := display(f.Path)
		oldName, newName := "a/"+name, "b/"+name
		if f.Old == nil {
			oldName = "/dev/null"
		}
		if f.New == nil {
			newName = "/dev/null"
		}
		out.Write(diff.Diff(oldName, lock.Text(f.Old), newName, f.New))
	}
	return printable(out.Bytes())
}

// printable escapes all but line ends and tabs.
func printable(text []byte) []byte {
	var out bytes.Buffer
	for line := range strings.Lines(string(text)) {
		line, ended := strings.CutSuffix(line, "\n")
		for i, field := range strings.Split(line, "\t") {
			if i > 0 {
				out.WriteByte('\t')
			}
			out.WriteString(diag.Escape(field))
		}
		if ended {
			out.WriteByte('\n')
		}
	}
	return out.Bytes()
}
