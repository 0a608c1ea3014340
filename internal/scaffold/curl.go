package scaffold

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/idemgen/idemgen/internal/text"
)

// curl shows a create in the README, sent twice; nothing if there is none.
func (s *service) curl(cases []*testCase, auth *authentication) string {
	for _, c := range cases {
		if c.Status == http.StatusNotImplemented || c.Seed != nil || strings.Contains(c.Body, "```") {
			continue
		}
		lines := []string{fmt.Sprintf("curl -sSi %s", shell("http://127.0.0.1:8080"+c.Path))}
		for _, h := range c.Header {
			lines = append(lines, "-H "+shell(h.Name+": "+h.Value))
		}
		if auth != nil {
			lines = append(lines, auth.curl())
		}
		if c.Body == "" {
			lines[0] += " -X " + c.Method
		} else {
			lines = append(lines, "-d "+shell(text.OneLine(c.Body)))
		}
		return strings.Join(lines, " \\\n  ")
	}
	return ""
}

// shell quotes a word for a POSIX shell.
func shell(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
