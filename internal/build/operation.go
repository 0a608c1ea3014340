package build

import (
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/internal/ir"
	"github.com/idemgen/idemgen/internal/oapi"
	"github.com/idemgen/idemgen/internal/spec"
	"github.com/idemgen/idemgen/internal/text"
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
	line := fmt.Sprintf("%s answers %s %s", def.GoName, def.Method, text.OneLine(def.Path))
	if summary := text.OneLine(def.Summary); summary != "" {
		line += ": " + summary
	}
	if !strings.HasSuffix(line, ".") {
		line += "."
	}
	return line
}
