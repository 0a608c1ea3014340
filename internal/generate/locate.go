package generate

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/spec"
)

var (
	quoted       = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	singleQuoted = regexp.MustCompile(`'([^'"\\]*)'`)
)

// advice names the option that helps with an error of oapi-codegen.
func advice(message string) string {
	if strings.Contains(message, "duplicate typename") {
		return "; or set oapi.output-options.resolve-type-name-collisions: true"
	}
	return ""
}

// Locate finds what oapi-codegen's words are about, which come without a
// position: the operation or path, or else the component, that they quote.
func Locate(doc *spec.Document, message string) (diag.Pos, int) {
	for _, op := range doc.Operations {
		switch {
		case !strings.Contains(message, strconv.Quote(op.Path)):
		case strings.Contains(message, op.Method+" "):
			return op.Pos, op.Len
		default:
			if pos, length, ok := doc.Find("paths", op.Path); ok {
				return pos, length
			}
		}
	}
	message = singleQuoted.ReplaceAllString(message, `"$1"`)
	for _, q := range quoted.FindAllString(message, -1) {
		name, err := strconv.Unquote(q)
		if err != nil {
			continue
		}
		for _, section := range []string{"schemas", "parameters", "responses", "requestBodies", "headers"} {
			if pos, length, ok := doc.Find("components", section, name); ok {
				return pos, length
			}
		}
	}
	return diag.Pos{File: doc.File}, 0
}
