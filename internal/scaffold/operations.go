package scaffold

import (
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/idemgen/idemgen/internal/oapi"
	"github.com/idemgen/idemgen/internal/spec"
)

// operations joins what the parts know of each operation, in oapi-codegen's order.
func operations(doc *spec.Document, document *openapi3.T, api *oapi.API) []*operation {
	var all []*operation
	for _, def := range api.Operations {
		i := slices.IndexFunc(doc.Operations, func(o *spec.Operation) bool { return o.Method == def.Method && o.Path == def.Path })
		item := document.Paths.Value(def.Path)
		if i < 0 || item == nil || item.GetOperation(def.Method) == nil {
			continue // spec.Load has compared them
		}
		op := &operation{Operation: def, Source: doc.Operations[i], Document: item.GetOperation(def.Method)}
		op.Parameters = parameters(item, op.Document)
		op.Secured = secured(document, op.Document)
		all = append(all, op)
	}
	return all
}

// parameters are those of the path item that the operation doesn't replace, and
// the operation's own.
func parameters(item *openapi3.PathItem, op *openapi3.Operation) []*openapi3.Parameter {
	var list []*openapi3.Parameter
	for _, ref := range item.Parameters {
		if p := ref.Value; p != nil && op.Parameters.GetByInAndName(p.In, p.Name) == nil {
			list = append(list, p)
		}
	}
	for _, ref := range op.Parameters {
		if ref.Value != nil {
			list = append(list, ref.Value)
		}
	}
	return list
}

// secured tells whether any credentials are asked for, as spec has it of scopes.
func secured(document *openapi3.T, op *openapi3.Operation) bool {
	return slices.ContainsFunc(requirements(document, op), func(r openapi3.SecurityRequirement) bool { return len(r) > 0 })
}

// requirements are the operation's own, else the document's.
func requirements(document *openapi3.T, op *openapi3.Operation) openapi3.SecurityRequirements {
	if op.Security != nil {
		return *op.Security
	}
	return document.Security
}

func (o *operation) bodyRequired() bool {
	body := o.Document.RequestBody
	return body != nil && body.Value != nil && body.Value.Required
}
