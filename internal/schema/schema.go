// Package schema writes JSON Schemas (draft 2020-12) of documents that are
// described by a table of fields, for editors and linters.
package schema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Draft is the dialect.
const Draft = "https://json-schema.org/draft/2020-12/schema"

// Schema is a JSON Schema, with the keywords that we need.
type Schema struct {
	Schema      string     `json:"$schema,omitempty"`
	ID          string     `json:"$id,omitempty"`
	Title       string     `json:"title,omitempty"`
	Description string     `json:"description,omitempty"`
	Type        Types      `json:"type,omitempty"`
	Const       any        `json:"const,omitempty"`
	Enum        []string   `json:"enum,omitempty"`
	Pattern     string     `json:"pattern,omitempty"`
	MinLength   int        `json:"minLength,omitempty"`
	MaxLength   int        `json:"maxLength,omitempty"`
	Minimum     int        `json:"minimum,omitempty"`
	Maximum     int        `json:"maximum,omitempty"`
	Items       *Schema    `json:"items,omitempty"`
	MinItems    int        `json:"minItems,omitempty"`
	Unique      bool       `json:"uniqueItems,omitempty"`
	AnyOf       []Schema   `json:"anyOf,omitempty"`
	Not         *Schema    `json:"not,omitempty"`
	Properties  Properties `json:"properties,omitempty"`
	Required    []string   `json:"required,omitempty"`
	Closed      Closed     `json:"additionalProperties,omitempty"`
	Default     any        `json:"default,omitempty"`
	Examples    []any      `json:"examples,omitempty"`
}

// Properties are in the order in which editors shall offer them.
type Properties []Property

// Property is a field. In a table of fields its name has dots, as in api.dir.
type Property struct {
	Name string
	// Description is in the words of the reference.
	Description string
	Schema      Schema
}

// Document is the schema of a mapping with these fields and no others. What
// stands before a dot is a mapping of its own.
func Document(fields []Property) Schema {
	s := Schema{Type: Types{"object"}, Closed: true}
	for _, f := range fields {
		group, _, grouped := strings.Cut(f.Name, ".")
		if !grouped {
			f.Schema.Description = f.Description
			s.Properties = append(s.Properties, f)
			continue
		}
		if slices.ContainsFunc(s.Properties, func(p Property) bool { return p.Name == group }) {
			continue
		}
		var members []Property
		for _, m := range fields {
			if name, ok := strings.CutPrefix(m.Name, group+"."); ok {
				m.Name = name
				members = append(members, m)
			}
		}
		s.Properties = append(s.Properties, Property{Name: group, Schema: Document(members)})
	}
	return s
}

// Types are one type or several.
type Types []string

// MarshalJSON writes one type by itself.
func (t Types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// Closed says that a mapping has no other properties.
type Closed bool

// MarshalJSON writes the value of additionalProperties.
func (c Closed) MarshalJSON() ([]byte, error) { return json.Marshal(!bool(c)) }

// MarshalJSON keeps the order.
func (p Properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, property := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := marshal(property.Name)
		if err != nil {
			return nil, err
		}
		value, err := marshal(property.Schema)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// marshal leaves < and > as they are: patterns and messages are for people.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// Text is the schema as a file.
func (s Schema) Text() ([]byte, error) {
	compact, err := marshal(s)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, compact, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
