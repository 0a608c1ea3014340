package migrations

import "strings"

// Runs tells whether the way up has a statement, outside of comments. White space
// doesn't count. It is meant for statements that idemgen wrote.
func (f File) Runs(statement string) bool {
	var up strings.Builder
	for line := range strings.Lines(string(f.Content)) {
		text := strings.TrimSpace(line)
		if strings.HasPrefix(strings.ToLower(text), "-- +goose down") {
			break
		}
		if !strings.HasPrefix(text, "--") {
			up.WriteString(line)
		}
	}
	return strings.Contains(squeeze(up.String()), squeeze(statement)+";")
}

func squeeze(text string) string { return strings.Join(strings.Fields(text), " ") }
