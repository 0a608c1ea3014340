package explain

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/idemgen/idemgen/internal/contract"
	"github.com/idemgen/idemgen/internal/diag"
)

// WriteMarkdown writes a table of GitHub Flavored Markdown, for a pull request or
// a wiki, with every list in full. What comes from the document is in code
// spans, so that it is neither markup nor a link nor a mention.
func WriteMarkdown(w io.Writer, r Report) error {
	var b bytes.Buffer
	butExcept := " but " + strings.Join(except(contract.DefaultStore()), " ")
	if len(r.Operations) > 0 {
		b.WriteString("| Operation | Method | Path | Key | Scope | Fingerprint | TTL | In flight | Stored |\n")
		b.WriteString("|---|---|---|---|---|---|---|---|---|\n")
		for _, op := range r.Operations {
			cells := []string{
				code(title(op)), code(op.Method), code(op.Path), code(key(op)), codes(op.Scope),
				codes(op.Fingerprint), op.TTL, inFlight(op), stored(op, butExcept),
			}
			fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
		}
	} else {
		b.WriteString("No operation is marked `x-idempotent`.\n")
	}
	if len(r.Unprotected) > 0 {
		b.WriteString("\nNot protected:\n\n")
		for _, u := range r.Unprotected {
			fmt.Fprintf(&b, "- %s: %s\n", code(name(u)), u.Reason)
		}
	}
	if r.Safe > 0 {
		fmt.Fprintf(&b, "\nSafe by method: %s.\n", plural(r.Safe, "operation"))
	}
	_, err := w.Write(b.Bytes())
	return err
}

func codes(list []string) string {
	spans := make([]string, len(list))
	for i, s := range list {
		spans[i] = code(s)
	}
	return strings.Join(spans, ", ")
}

// code is s as a code span, safe in a cell of a table. A backtick would end the
// span, and a pipe, or a backslash before one, the cell: with them it is HTML.
func code(s string) string {
	s = diag.Escape(s)
	if s != "" && !strings.ContainsAny(s, "`|\\") {
		return "`" + s + "`"
	}
	var b strings.Builder
	b.WriteString("<code>")
	for _, r := range s {
		if r < 0x80 && !isAlphanumeric(r) && !strings.ContainsRune(" ,-", r) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteString("</code>")
	return b.String()
}

func isAlphanumeric(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}
