// Package answers writes the schemas of stored answers as lines of idemgen.lock,
// and tells whether answers of one revision still are what the next one promises.
package answers

import (
	"strings"

	"github.com/idemgen/idemgen/internal/lock"
	"github.com/idemgen/idemgen/internal/spec"
)

// maxLines bounds what is recorded of one schema.
const maxLines = 2_000

// Record returns the answers that each idempotent operation stores, by its
// identity and then by "status media/type", and the schemas that they refer to.
func Record(doc *spec.Document) (byOperation map[string]map[string]lock.Schema, schemas map[string]lock.Schema) {
	byOperation, schemas = map[string]map[string]lock.Schema{}, map[string]lock.Schema{}
	for _, op := range doc.Operations {
		if op.Idempotent == nil {
			continue
		}
		answers := map[string]lock.Schema{}
		for _, s := range doc.Stored(op) {
			lines, refs := flatten(s.Schema)
			answers[Key(s)] = lines
			components(schemas, refs)
		}
		byOperation[op.Identity()] = answers
	}
	return byOperation, schemas
}

// Key names a response in the lock.
func Key(s spec.Stored) string { return strings.TrimSpace(s.Status + " " + s.Media) }

// components flattens what $refs lead to, each once.
func components(schemas map[string]lock.Schema, refs []spec.SchemaRef) {
	for len(refs) > 0 {
		ref := refs[0]
		refs = refs[1:]
		if _, ok := schemas[ref.Name]; ok {
			continue
		}
		var more []spec.SchemaRef
		schemas[ref.Name], more = flatten(ref.Schema())
		refs = append(refs, more...)
	}
}
