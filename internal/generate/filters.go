package generate

import (
	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
	"github.com/idemgen/idemgen/internal/spec"
)

const ruleFilter = "oapi/operation-id"

// checkFilters finds operationIds in oapi-codegen's filters that the document
// doesn't have: a misspelt one leaves out, or in, what it shouldn't.
func checkFilters(options *doctree.Node, doc *spec.Document, diags *diag.Set) {
	var ids []string
	known := make(map[string]bool, len(doc.Operations))
	for _, op := range doc.Operations {
		if op.ID != "" {
			ids = append(ids, op.ID)
			known[op.ID] = true
		}
	}
	output := options.Get("output-options")
	for _, name := range []string{"include-operation-ids", "exclude-operation-ids"} {
		list := output.Get(name)
		if list == nil {
			continue
		}
		for _, item := range list.Items {
			if item.Kind == doctree.String && !known[item.Value] {
				diags.Addf(item.Pos(), item.Len(), ruleFilter, "oapi.output-options.%s: no operation has the operationId %q%s",
					name, item.Value, diag.DidYouMean(item.Value, ids))
			}
		}
	}
}
