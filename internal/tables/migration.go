package tables

import (
	"slices"
	"strings"
)

// lockTimeout keeps a migration from making all others wait behind it.
const lockTimeout = "-- Fails soon, rather than let everybody wait behind it for a lock.\nSET LOCAL lock_timeout = '5s';\n"

// render writes the steps as a goose migration, up in order and down in reverse.
func (d *differ) render() ([]byte, []Left) {
	m := &migration{line: 1}
	m.write("-- The tables follow the OpenAPI document.\n")
	m.write("-- Written once. It is yours now: idemgen never changes it again.\n")
	m.write("-- +goose Up\n" + lockTimeout)
	var left []Left
	for _, s := range d.steps {
		if s.why == "" {
			m.write("\n" + finish(s.up))
			continue
		}
		m.write("\n-- Left to you: " + s.why + ".\n")
		left = append(left, Left{s.table, s.column, m.line, s.up, s.why})
		m.write(comment(finish(s.up)))
	}
	m.write("\n-- +goose Down\n" + lockTimeout)
	for _, s := range slices.Backward(d.steps) {
		switch {
		case s.down == "":
		case s.why == "":
			m.write("\n" + finish(s.down))
		default:
			m.write("\n" + comment(finish(s.down)))
		}
	}
	return []byte(m.text.String()), left
}

// migration is the text, and the number of the line that comes next.
type migration struct {
	text strings.Builder
	line int
}

func (m *migration) write(text string) {
	m.text.WriteString(text)
	m.line += strings.Count(text, "\n")
}

// finish ends a statement, unless it is a block of goose's.
func finish(statement string) string {
	if strings.HasSuffix(statement, "-- +goose StatementEnd") {
		return statement + "\n"
	}
	return statement + ";\n"
}

func comment(text string) string {
	return "-- " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n-- ") + "\n"
}
