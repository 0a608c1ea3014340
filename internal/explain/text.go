package explain

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/idemgen/idemgen/internal/contract"
	"github.com/idemgen/idemgen/internal/diag"
)

var header = []string{"OPERATION", "METHOD", "PATH", "KEY", "SCOPE", "FINGERPRINT", "TTL", "IN FLIGHT", "STORED"}

// WriteText writes a table for a terminal: as wide as its cells, whatever the
// terminal's width, so that it reads the same in a pipe. Control characters of
// the document are escaped.
func WriteText(w io.Writer, r Report) error {
	var b bytes.Buffer
	if len(r.Operations) > 0 {
		table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(table, strings.Join(header, "\t")) // to memory
		byDefault := false
		for _, op := range r.Operations {
			cells := row(op)
			for i := range cells {
				cells[i] = diag.Escape(cells[i])
			}
			_, _ = fmt.Fprintln(table, strings.Join(cells, "\t"))
			byDefault = byDefault || isDefault(op.Store)
		}
		if err := table.Flush(); err != nil {
			return err
		}
		if byDefault {
			fmt.Fprintf(&b, "%s all but %s\n", defaultMark, strings.Join(except(contract.DefaultStore()), " "))
		}
	} else {
		b.WriteString("no operation is marked x-idempotent\n")
	}
	for _, u := range r.Unprotected {
		fmt.Fprintf(&b, "unprotected: %s: %s\n", diag.Escape(name(u)), u.Reason)
	}
	if r.Safe > 0 {
		fmt.Fprintf(&b, "%s\n", safe(r.Safe))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// row is an operation in a few words for each column.
func row(op Operation) []string {
	return []string{
		title(op), op.Method, op.Path, key(op), strings.Join(op.Scope, " "),
		shortFingerprint(op.Fingerprint), op.TTL, inFlight(op), stored(op, defaultMark),
	}
}

func title(op Operation) string {
	if op.Identity != op.OperationID {
		return op.OperationID + " as " + op.Identity
	}
	return op.OperationID
}

func key(op Operation) string {
	text := strings.TrimPrefix(op.Key, "header ")
	switch {
	case op.Optional:
		text += " optional"
	case text != op.Key: // one in the body is required unless it says otherwise
		text += " required"
	}
	return strings.Join(append([]string{text}, op.KeyFormat...), ", ")
}

func inFlight(op Operation) string {
	if op.Wait != "" {
		return "wait " + op.Wait
	}
	return "409"
}

// shortFingerprint counts what may be long lists.
func shortFingerprint(parts []string) string {
	include, exclude, headers := 0, 0, 0
	for _, p := range parts {
		switch {
		case strings.HasPrefix(p, "body only "):
			include++
		case strings.HasPrefix(p, "body without "):
			exclude++
		case strings.HasPrefix(p, "header "):
			headers++
		}
	}
	text := "body"
	if include > 0 {
		text = plural(include, "pointer")
	}
	if exclude > 0 {
		text += " - " + plural(exclude, "pointer")
	}
	if headers > 0 {
		text += " + " + plural(headers, "header")
	}
	return text
}

// defaultMark points to the line below the table.
const defaultMark = "*"

// stored lists the statuses, and how they are stored if that is unusual.
// byDefault follows those of the default.
func stored(op Operation, byDefault string) string {
	var words []string
	for _, s := range op.Store {
		if !strings.HasPrefix(s, "!") {
			words = append(words, s)
		}
	}
	text := strings.Join(words, " ")
	if isDefault(op.Store) {
		text += byDefault
	}
	if op.KeepWrites {
		text += ", keep-writes"
	}
	if op.Isolation != "" {
		text += ", " + op.Isolation
	}
	return text
}

func isDefault(store []string) bool { return slices.Equal(store, contract.DefaultStore()) }

// except lists the statuses that a class has, and that are not stored.
func except(store []string) (statuses []string) {
	for _, s := range store {
		if status, ok := strings.CutPrefix(s, "!"); ok {
			statuses = append(statuses, status)
		}
	}
	return statuses
}

func name(u Unprotected) string {
	if u.OperationID == "" {
		return u.Method + " " + u.Path
	}
	return fmt.Sprintf("%s (%s %s)", u.OperationID, u.Method, u.Path)
}

func safe(n int) string { return "safe by method: " + plural(n, "operation") }

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
