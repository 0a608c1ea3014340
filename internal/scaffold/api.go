package scaffold

import (
	"fmt"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
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
	diags := &diag.Set{}
	diags.Addf(diag.Pos{File: doc.File}, 0, ruleOAPI,
		"oapi-codegen makes no Go of this document that compiles, with whatever options: %s; change the document, or leave operations out of it", firstLine(failed))
	return nil, diags, nil
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
	a.pkg, err = a.universe.Check(module+"/api", map[string][]byte{"api.gen.go": made.Code})
	return made, err
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
