// Package explain tells what each operation of a document promises to a client
// that retries, and which operations promise nothing.
package explain

import (
	"github.com/idemgen/idemgen/internal/contract"
	"github.com/idemgen/idemgen/internal/spec"
)

// Report is what there is to tell, in the document's order.
type Report struct {
	Operations  []Operation   `json:"operations"`
	Unprotected []Unprotected `json:"unprotected"`
	// Safe counts the operations whose method needs no protection (RFC 9110, 9.2.1).
	Safe int `json:"safe"`
}

// Operation is an idempotent operation.
type Operation struct {
	// Identity is what its records are kept under.
	Identity string `json:"identity"`
	contract.Operation
}

// Unprotected is an operation that runs again at each retry.
type Unprotected struct {
	OperationID string `json:"operationId,omitempty"`
	Method      string `json:"method"`
	Path        string `json:"path"`
	Reason      string `json:"reason"`
}

// The reasons why an operation isn't protected.
const (
	notMarked = "no x-idempotent"
	declined  = "declined with x-idempotent: false"
)

// Of reports on a document without diagnostics.
func Of(doc *spec.Document) Report {
	r := Report{Operations: []Operation{}, Unprotected: []Unprotected{}} // empty lists in JSON, not null
	for _, op := range doc.Operations {
		switch {
		case op.Idempotent != nil:
			r.Operations = append(r.Operations, Operation{op.Identity(), contract.Of(op)})
		case op.Declined:
			r.Unprotected = append(r.Unprotected, Unprotected{op.ID, op.Method, op.Path, declined})
		case spec.SafeMethod(op.Method):
			r.Safe++
		default:
			r.Unprotected = append(r.Unprotected, Unprotected{op.ID, op.Method, op.Path, notMarked})
		}
	}
	return r
}
