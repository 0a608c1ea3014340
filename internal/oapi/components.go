package oapi

import (
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// componentNames are the components that become types, by the names that the
// types are made of. A schema's comes first where several have one.
func componentNames(doc *openapi3.T) map[string]Component {
	names := map[string]Component{}
	if doc.Components == nil {
		return names
	}
	add := func(section, name string, extensions map[string]any) {
		key := name
		if goName, ok := extensions["x-go-name"].(string); ok {
			key = goName
		}
		if _, taken := names[key]; !taken {
			names[key] = Component{section, name}
		}
	}
	c := doc.Components
	for _, name := range slices.Sorted(maps.Keys(c.Schemas)) {
		var extensions map[string]any
		if schema := c.Schemas[name]; schema != nil && schema.Value != nil {
			extensions = schema.Value.Extensions
		}
		add("schemas", name, extensions)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Parameters)) {
		add("parameters", name, nil)
	}
	for _, name := range slices.Sorted(maps.Keys(c.RequestBodies)) {
		add("requestBodies", name, nil)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Responses)) {
		add("responses", name, nil)
	}
	return names
}
