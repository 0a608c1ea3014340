package build

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/idemgen/idemgen/internal/ir"
	"github.com/idemgen/idemgen/internal/oapi"
	"github.com/idemgen/idemgen/internal/spec"
)

func operation(def *oapi.Operation, source *spec.Operation) ir.Operation {
	op := ir.Operation{
		Method:       def.Method,
		Path:         def.Path,
		GoName:       def.GoName,
		RequestType:  def.RequestType,
		ResponseType: def.ResponseType,
		Result:       def.ResponseType,
		Comment:      []string{comment(def)},
	}
	if source != nil && source.Idempotent != nil {
		op.Contract = contract(def, source)
		op.HasTx = true
		op.Comment = append(op.Comment, "What it writes through tx commits with the record of its answer.")
	}
	return op
}

// comment is one line of the method's comment. The spec's words are a
// stranger's: they stay on the line, without what can't be seen.
func comment(def *oapi.Operation) string {
	line := fmt.Sprintf("%s answers %s %s", def.GoName, def.Method, oneLine(def.Path))
	if summary := oneLine(def.Summary); summary != "" {
		line += ": " + summary
	}
	if !strings.HasSuffix(line, ".") {
		line += "."
	}
	return line
}

func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r) || r == utf8.RuneError:
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

func lowerFirst(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[size:]
}
