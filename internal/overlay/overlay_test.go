package overlay_test

import (
	"bytes"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/idemgen/idemgen/internal/diag/doctree"
	"github.com/idemgen/idemgen/internal/overlay"
)

const document = `openapi: 3.1.0
tags: [{name: a}]
paths:
  /items:
    get: {x-traits: [paged], parameters: [{name: dummy}, {name: q}], tags: [a, b]}
  /items/{id}: &item
    get: {x-traits: [paged], deprecated: true}
    post: {summary: old, n: 1}
  /other: *item
`

// What the specification's rules and examples say.
func TestActions(t *testing.T) {
	for _, c := range []struct{ name, actions, want string }{
		{"object merges, primitive is replaced", `{target: "$.paths['/items/{id}'].post", update: {summary: new, n: {}}}`, "n is a mapping here, but a number at spec.yaml:8:29; to put another sort of value there, remove the old one first"},
		{"an aliased place changes alone", `{target: "$.paths['/other'].post", update: {summary: new}}`, `{openapi: 3.1.0, tags: [{name: a}], paths: {/items: {get: {x-traits: [paged], parameters: [{name: dummy}, {name: q}], tags: [a, b]}}, '/items/{id}': {get: {x-traits: [paged], deprecated: true}, post: {summary: old, n: 1}}, /other: {get: {x-traits: [paged], deprecated: true}, post: {summary: new, n: 1}}}}`},
		{"arrays concatenate", `{target: "$", update: {tags: [{name: b}], paths: {}}}, {target: $.paths, remove: true}`, `{openapi: 3.1.0, tags: [{name: a}, {name: b}]}`},
		{"an object is appended to an array", `{target: $.tags, update: {name: b}}, {target: $.paths, remove: true}`, `{openapi: 3.1.0, tags: [{name: a}, {name: b}]}`},
		{"a primitive target is replaced", `{target: $.openapi, update: 3.1.1}, {target: "$['paths','tags']", remove: true}`, `{openapi: 3.1.1}`},
		{"list items are removed", `{target: "$.paths['/items'].get.parameters[?@.name == 'dummy']", remove: true}, {target: "$.paths.*.get.tags[?@ == 'a']", remove: true}, {target: "$.paths[?@.post]", remove: true}`, `{openapi: 3.1.0, tags: [{name: a}], paths: {/items: {get: {x-traits: [paged], parameters: [{name: q}], tags: [b]}}}}`},
		{"traits", `{target: "$.paths[?(@.get['x-traits'][?(@ == 'paged')])].get", update: {parameters: [{name: top}]}}, {target: "$.paths[?@.post]", remove: true}`, `{openapi: 3.1.0, tags: [{name: a}], paths: {/items: {get: {x-traits: [paged], parameters: [{name: dummy}, {name: q}, {name: top}], tags: [a, b]}}}}`},
		{"copy", `{target: "$.paths['/items']", copy: "$.paths['/other']"}, {target: "$.paths[?@.get.deprecated && !@.get.tags]", remove: true}, {target: $.tags, remove: true}`, `{openapi: 3.1.0, paths: {/items: {get: {x-traits: [paged, paged], parameters: [{name: dummy}, {name: q}], tags: [a, b], deprecated: true}, post: {summary: old, n: 1}}}}`},
		{"actions see each other", `{target: $.paths, remove: true}, {target: "$", update: {paths: {/new: {}}}}, {target: "$.paths['/new']", update: {get: {}}}`, `{openapi: 3.1.0, tags: [{name: a}], paths: {/new: {get: {}}}}`},
		{"a place that is selected twice changes once", `{target: "$['tags','tags']", update: [1]}, {target: $.paths, remove: true}`, `{openapi: 3.1.0, tags: [{name: a}, 1]}`},
		{"nothing else may follow from a path", `{target: $.paths.none, remove: true}`, `target selects nothing: "$.paths" has no "none"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := apply(t, "overlay: 1.1.0\ninfo: {title: t, version: '1'}\nactions: ["+c.actions+"]\n")
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// apply returns the document after an overlay, in one line, or the first message.
func apply(t *testing.T, text string) string {
	t.Helper()
	p := doctree.Parser{Rules: overlay.Syntax}
	root, _, diags := p.Parse("spec.yaml", []byte(document))
	over, file, found := p.Parse("overlay.yaml", []byte(text))
	diags.Merge(found)
	before := flow(t, root)
	after := overlay.Apply(root, []*overlay.Overlay{overlay.Read(file, over, diags)}, diags)
	if flow(t, root) != before {
		t.Error("the document itself changed")
	}
	for _, d := range diags.All() {
		return d.Message
	}
	return flow(t, after)
}

func flow(t *testing.T, n *doctree.Node) string {
	t.Helper()
	doc := n.YAML()
	doc.Content[0].Style = yaml.FlowStyle
	text, err := yaml.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes.Join(bytes.Fields(text), []byte(" ")))
}
