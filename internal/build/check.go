package build

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/ir"
	"github.com/idemgen/idemgen/internal/oapi"
	"github.com/idemgen/idemgen/internal/spec"
	"github.com/idemgen/idemgen/internal/text"
)

// The rules of this package.
const (
	ruleName  = "build/name"  // a Go name that is needed twice
	ruleRoute = "build/route" // a path that net/http can't route
)

// ownNames are declared by the idempotent file beside those of operations.
var ownNames = []string{"Handlers", "HandlerOptions", "NewHandler", "NewHandlerWithOptions", "capture", "adapter", "contracts"}

// checkNames finds the names that our file and oapi-codegen's both declare.
func checkNames(in Input, service *ir.Service, diags *diag.Set) {
	for _, name := range ownNames {
		if in.API.Declared[name] {
			pos, length := schemaPos(in.Spec, name)
			diags.Addf(pos, length, ruleName, "%s is a name of the generated code; give the schema another one with x-go-name", name)
		}
	}
	for i := range service.Operations {
		op := &service.Operations[i]
		if op.Contract == nil {
			continue
		}
		names := []string{op.Contract.Var, op.Contract.Answer}
		if w := op.Contract.Write; w != nil {
			names = append(names, w.Type, w.Const)
		}
		for _, name := range names {
			if in.API.Declared[name] {
				pos, length := operationPos(in.Spec, &in.API.Operations[i])
				diags.Addf(pos, length, ruleName, "%s, a name of the generated code, is taken already; rename the operation", name)
			}
		}
	}
}

// schemaPos finds the component whose Go name is name, or names the file.
func schemaPos(doc *spec.Document, name string) (diag.Pos, int) {
	for _, section := range []string{"schemas", "responses", "parameters", "requestBodies"} {
		for _, key := range []string{name, text.LowerFirst(name)} {
			if pos, length, ok := doc.Find("components", section, key); ok {
				return pos, length
			}
		}
	}
	return diag.Pos{File: doc.File}, 0
}

func operationPos(doc *spec.Document, def *oapi.Operation) (diag.Pos, int) {
	if op := findOperation(doc, def); op != nil {
		return op.Pos, op.Len
	}
	return diag.Pos{File: doc.File}, 0
}

// checkRoutes registers every operation's route as the generated code will at
// its start: net/http panics on a pattern that it can't route.
func checkRoutes(in Input, diags *diag.Set) {
	mux := http.NewServeMux()
	for i := range in.API.Operations {
		def := &in.API.Operations[i]
		if err := register(mux, def.Pattern); err != nil {
			pos, length := operationPos(in.Spec, def)
			diags.Addf(pos, length, ruleRoute, "the path %q can't be routed by net/http: %s; change the path, or leave the operation out", def.Path, reason(err))
		}
	}
}

func register(mux *http.ServeMux, pattern string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	mux.HandleFunc(pattern, func(http.ResponseWriter, *http.Request) {})
	return nil
}

// registeredAt is where net/http says which line of its caller took a pattern.
var registeredAt = regexp.MustCompile(` \(registered at [^)]*\)`)

// reason is net/http's message without the lines and places that mean nothing
// to the reader of a spec.
func reason(err error) string {
	line, _, _ := strings.Cut(err.Error(), ":\n")
	return registeredAt.ReplaceAllString(strings.TrimSpace(line), "")
}
