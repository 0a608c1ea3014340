// Package enrich writes the document that tells the world what the generated
// server really does: the spec as it is, and for each idempotent operation its key,
// the problems that the runtime answers with, the headers of replays, and how long
// answers are kept.
package enrich

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/idemgen/idemgen/internal/spec"
)

// Document enriches a spec. The base is what leads from the folder of the result
// to that of the spec, such as "..": relative references to other files go there.
func Document(doc *spec.Document, base string) ([]byte, error) {
	e := &enricher{doc: doc, source: make(map[string]*yaml.Node)}
	tree, err := doc.Tree("")
	if err != nil {
		return nil, err
	}
	e.root = tree.Content[0]
	e.names = takenNames(e.root)
	for _, op := range doc.Operations {
		if op.Idempotent != nil {
			e.operation(op)
		}
	}
	e.addComponents()
	e.relocate(base)
	if e.err != nil {
		return nil, e.err
	}
	return encode(tree)
}

type enricher struct {
	doc    *spec.Document
	root   *yaml.Node            // becomes the result; its references are still those of the spec
	source map[string]*yaml.Node // the files as they are, by their keys
	err    error                 // the first one
	names  map[string]bool       // see takenNames
	added  []component
}

// operation enriches one operation in place.
func (e *enricher) operation(op *spec.Operation) {
	item := e.pathItem(op.Path)
	node := get(item, strings.ToLower(op.Method))
	if node == nil || e.err != nil {
		return
	}
	// What the path item has for all its operations isn't changed.
	shared := get(item, "parameters")
	answers := problems(op.Idempotent, get(node, "parameters"), shared, get(node, "requestBody"))
	e.keyParameter(op, node, shared)
	e.responses(op, node, answers)
	describe(op, node)
}

// pathItem returns the path item of a path, to be changed. One in another file
// takes the place of its $ref.
func (e *enricher) pathItem(path string) *yaml.Node {
	item := get(get(e.root, "paths"), path)
	for range maxHops {
		ref := get(item, "$ref")
		if ref == nil {
			break
		}
		file, pointer := e.doc.Target("", ref.Value)
		if !e.doc.IsRoot(file) {
			*item = *e.resolved(item, "path item")
			break
		}
		if item = e.walk(place{"", e.root}, pointer).node; item == nil {
			break
		}
	}
	return item
}

// describe says in words what x-idempotent means, and how long answers are kept.
func describe(op *spec.Operation, node *yaml.Node) {
	if i := index(node, "description"); i >= 0 {
		node.Content[i+1] = appended(node.Content[i+1], promise(op.Idempotent))
	} else {
		insertAfter(node, []string{"summary", "operationId"}, "description", text(promise(op.Idempotent)))
	}
	if i := index(node, retentionKey); i >= 0 {
		node.Content[i+1] = text(isoDuration(op.Idempotent.TTL))
	} else {
		insertAfter(node, []string{"x-idempotent"}, retentionKey, text(isoDuration(op.Idempotent.TTL)))
	}
}

// retentionKey is our extension with the retention.
const retentionKey = "x-idempotency-retention"

// statusKeys are the responses' keys that a status falls under, the closest
// first.
func statusKeys(status string) []string { return []string{status, status[:1] + "XX", "default"} }

// isStatus tells the keys of responses from extensions.
func isStatus(key string) bool {
	return key == "default" || len(key) == 3 && slices.Contains([]byte("12345"), key[0])
}
