package scaffold

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
	"github.com/idemgen/idemgen/internal/generate"
	"github.com/idemgen/idemgen/internal/gopkg"
	"github.com/idemgen/idemgen/internal/oapi"
	"github.com/idemgen/idemgen/internal/spec"
)

// api is the server as oapi-codegen makes it of the document.
type api struct {
	document   *openapi3.T
	operations []*operation
	pkg        *gopkg.Package
	universe   *gopkg.Universe
	options    string // the oapi section of idemgen.yaml; empty for none
	// without are the operations that had to be left out.
	without []*spec.Operation
}

// ruleOAPI is for a document that oapi-codegen can't make Go of.
const ruleOAPI = "openapi/oapi-codegen"

// attempts are the options of oapi-codegen that documents may need, the fewest
// first.
var attempts = []string{
	"",
	"output-options: { resolve-type-name-collisions: true }\n",
	"output-options: { resolve-type-name-collisions: true }\ncompatibility: { always-prefix-enum-values: true }\n",
	"output-options: { resolve-type-name-collisions: true, skip-prune: true }\ncompatibility: { always-prefix-enum-values: true }\n",
}

// newAPI runs oapi-codegen with as few options as it takes to make Go that fits
// together.
func newAPI(doc *spec.Document, module string) (*api, *diag.Set, error) {
	document, err := doc.OpenAPI()
	if err != nil {
		return nil, nil, err
	}
	var failed error
	for _, options := range attempts {
		a := &api{document: document, options: options, universe: gopkg.NewUniverse()}
		made, err := a.generate(doc, module)
		if err == nil {
			a.operations = operations(doc, document, made)
			return a, nil, nil
		}
		if failed == nil {
			failed = err
		}
	}
	if a := without(doc, document, module); a != nil {
		return a, nil, nil
	}
	diags := &diag.Set{}
	pos, length := generate.Locate(doc, failed.Error())
	diags.Addf(pos, length, ruleOAPI,
		"no Go that compiles can be made of this document, with whatever options of oapi-codegen: %s; change the document, or leave operations out of it", firstLine(failed))
	return nil, diags, nil
}

// without leaves out as few operations as it takes; nil if that doesn't help. Of
// two that exclude each other the later one stays: newer versions come later.
func without(doc *spec.Document, document *openapi3.T, module string) *api {
	var best *api
	out := map[*spec.Operation]bool{}
	try := func() bool {
		a := &api{document: document, universe: gopkg.NewUniverse()}
		var ids []string
		for _, o := range doc.Operations {
			if out[o] {
				a.without, ids = append(a.without, o), append(ids, o.ID)
			}
		}
		if len(ids) == len(doc.Operations) || slices.Contains(ids, "") {
			return false
		}
		list, err := json.Marshal(ids) // which is YAML
		if err != nil {
			return false
		}
		a.options = fmt.Sprintf("output-options:\n  resolve-type-name-collisions: true\n  exclude-operation-ids: %s\ncompatibility: { always-prefix-enum-values: true }\n", list)
		made, err := a.generate(doc, module)
		if err != nil {
			return false
		}
		a.operations, best = operations(doc, document, made), a
		return true
	}
	for _, o := range doc.Operations {
		out[o] = true
	}
	var add func(list []*spec.Operation)
	add = func(list []*spec.Operation) {
		for _, o := range list {
			out[o] = false
		}
		if try() || len(list) == 0 {
			return
		}
		for _, o := range list {
			out[o] = true
		}
		if len(list) > 1 {
			add(list[len(list)/2:])
			add(list[:len(list)/2])
		}
	}
	add(doc.Operations)
	return best
}

func (a *api) generate(doc *spec.Document, module string) (*oapi.API, error) {
	parser := doctree.Parser{Rules: doctree.Rules{Syntax: ruleOAPI, Duplicate: ruleOAPI, Limit: ruleOAPI}}
	node, _, diags := parser.Parse("oapi", []byte(a.options))
	options := oapi.DecodeOptions(node, diags)
	for _, d := range diags.All() {
		return nil, fmt.Errorf("idemgen has a wrong option, which is a bug: %s", d.Message)
	}
	document, err := doc.OpenAPI() // oapi-codegen changes it
	if err != nil {
		return nil, err
	}
	made, err := oapi.Generate(document, "api", options)
	if err != nil {
		return nil, err
	}
	code := map[string][]byte{"api.gen.go": made.Code}
	if a.pkg, err = a.universe.Check(module+"/api", code); err != nil {
		return nil, err
	}
	_, problems, err := gopkg.Verify(module+"/api", code, nil)
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("%s in %q", problems[0].Message, problems[0].Declaration)
	}
	return made, routable(made)
}

// routable registers all routes, as the server will: net/http panics at those that
// it can't tell apart.
func routable(made *oapi.API) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("net/http can't route it: %v", r)
		}
	}()
	mux := http.NewServeMux()
	for i := range made.Operations {
		mux.HandleFunc(made.Operations[i].Pattern, func(http.ResponseWriter, *http.Request) {})
	}
	return nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// indented is a text of whole lines, deeper by two spaces.
func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("  " + line)
	}
	return b.String()
}
