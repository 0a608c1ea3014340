package spec

import (
	"fmt"
	"mime"
	"strings"

	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// jsonBody is a JSON body that an operation takes.
type jsonBody struct {
	media  string
	schema *doctree.Node // nil when there is none
}

// pointers checks the pointers into the request body: those of the key must lead
// to a value in every request, those of the fingerprint must exist.
func (w *walker) pointers(o *Operation) {
	x := o.Idempotent
	name := "key.natural"
	if _, ok := x.written["key.pointer"]; ok {
		name = "key.pointer"
	}
	w.intoBody(o, name, x.Key.Pointers, demands{value: true, required: x.Key.Required})
	w.intoBody(o, "fingerprint.include", x.Fingerprint.Include, demands{})
	w.intoBody(o, "fingerprint.exclude", x.Fingerprint.Exclude, demands{})
}

// intoBody checks the pointers of one field.
func (w *walker) intoBody(o *Operation, name string, pointers []Pointer, want demands) {
	if len(pointers) == 0 {
		return
	}
	key := o.Idempotent.written[name].Key
	fail := func(rule, format string, args ...any) {
		w.diags.Addf(key.Pos(), key.Len(), rule, "%s %s", name, fmt.Sprintf(format, args...))
	}
	rule := RuleFingerprint
	if want.value {
		rule = RuleKeySource
	}
	node := o.node.Get("requestBody")
	request := w.target(node)
	if node != nil && request == nil {
		return // the $ref has been reported
	}
	bodies, other := jsonBodies(request)
	switch {
	case other != nil:
		fail(rule, "points into JSON, but the request can also be %q, at %s; take that away, or %s", other.Value, other.Pos(), want.instead())
		return
	case len(bodies) == 0:
		fail(rule, "needs a JSON request body, and %s %q has none; declare it, or %s", o.Method, o.Path, want.instead())
		return
	}
	if required := request.Get("required"); want.required && (required == nil || !required.True()) {
		fail(RulePointer, "needs a request body in every request; write required: true into the requestBody, or key.required: false")
	}
	for _, p := range pointers {
		for _, b := range bodies {
			in := ""
			if len(bodies) > 1 {
				in = " of " + b.media
			}
			if problem := w.lead(b.schema, p, want); problem != "" {
				w.diags.Addf(p.node.Pos(), p.node.Len(), RulePointer, "%s%s: %s", name, in, problem)
			}
		}
	}
}

// jsonBodies lists the JSON bodies of a request body, and names another that it
// can have.
func jsonBodies(request *doctree.Node) (bodies []jsonBody, other *doctree.Node) {
	content := request.Get("content")
	if content == nil {
		return nil, nil
	}
	for _, e := range content.Entries {
		// As the runtime tells JSON.
		name, _, _ := mime.ParseMediaType(e.Key.Value)
		switch {
		case name == "application/json" || strings.HasSuffix(name, "+json"):
			bodies = append(bodies, jsonBody{name, e.Value.Get("schema")})
		case other == nil:
			other = e.Key
		}
	}
	return bodies, other
}
