package scaffold

import (
	"github.com/getkin/kin-openapi/openapi3"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/gopkg"
	"github.com/idemgen/idemgen/internal/oapi"
)

// api is the server as oapi-codegen makes it of the document.
type api struct {
	document   *openapi3.T
	operations []*operation
	pkg        *gopkg.Package
	universe   *gopkg.Universe
	options    []string // of idemgen.yaml's oapi section
}

// ruleOAPI is for a document that oapi-codegen can't make Go of.
const ruleOAPI = "openapi/oapi-codegen"

// newAPI runs oapi-codegen, and makes sure that what it writes fits together.
func newAPI(src *source, module string) (*api, *diag.Set, error) {
	document, err := src.doc.OpenAPI()
	if err != nil {
		return nil, nil, err
	}
	a := &api{document: document}
	made, err := a.generate(src, module)
	if err != nil {
		diags := &diag.Set{}
		diags.Addf(diag.Pos{File: src.display}, 0, ruleOAPI, "oapi-codegen can't generate this document: %s", err)
		return nil, diags, nil
	}
	a.operations = operations(src.doc, document, made)
	return a, nil, nil
}

func (a *api) generate(src *source, module string) (*oapi.API, error) {
	fresh, err := src.doc.OpenAPI() // oapi-codegen changes it
	if err != nil {
		return nil, err
	}
	made, err := oapi.Generate(fresh, "api", oapi.Options{})
	if err != nil {
		return nil, err
	}
	a.universe = gopkg.NewUniverse()
	a.pkg, err = a.universe.Check(module+"/api", map[string][]byte{"api.gen.go": made.Code})
	return made, err
}
