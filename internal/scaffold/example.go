package scaffold

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
)

// maxExampleDepth is where an example leaves out what it may.
const maxExampleDepth = 4

// example makes a value that a schema allows: the document's own if it has one
// that is right, else a plain one. What it can't heed is a pattern.
func example(ref *openapi3.SchemaRef) any { return exampleAt(ref, 0) }

func exampleAt(ref *openapi3.SchemaRef, depth int) any {
	if ref == nil || ref.Value == nil || depth > 3*maxExampleDepth {
		return nil
	}
	s := ref.Value
	if isObject(s) {
		return objectExample(s, depth)
	}
	candidates := []any{s.Example}
	candidates = append(append(candidates, s.Examples...), s.Default, s.Const)
	for _, value := range append(candidates, s.Enum...) {
		if value != nil && fits(s, value) {
			return value
		}
	}
	for _, parts := range []openapi3.SchemaRefs{s.AllOf, s.OneOf, s.AnyOf} {
		for _, part := range parts {
			if value := exampleAt(part, depth+1); value != nil {
				return value
			}
		}
	}
	switch {
	case is(s, "array"):
		return arrayExample(s, depth)
	case is(s, "integer"), is(s, "number"):
		return numberExample(s)
	case is(s, "boolean"):
		return true
	case is(s, "string"):
		return stringExample(s)
	}
	return "example"
}

func is(s *openapi3.Schema, name string) bool { return s.Type.Includes(name) }

func isObject(s *openapi3.Schema) bool {
	return is(s, "object") || len(s.Properties) > 0 || s.AdditionalProperties.Has != nil || s.AdditionalProperties.Schema != nil ||
		slices.ContainsFunc(s.AllOf, func(part *openapi3.SchemaRef) bool { return part.Value != nil && isObject(part.Value) })
}

// objectExample has the properties that must be there and, near the top, those
// that may. What only the server sets it leaves out.
func objectExample(s *openapi3.Schema, depth int) map[string]any {
	object := map[string]any{}
	own, _ := s.Example.(map[string]any)
	for _, parts := range []openapi3.SchemaRefs{s.AllOf, s.OneOf[:min(1, len(s.OneOf))], s.AnyOf[:min(1, len(s.AnyOf))]} {
		for _, part := range parts {
			if part.Value == nil || !isObject(part.Value) || depth > maxExampleDepth {
				continue
			}
			for name, value := range objectExample(part.Value, depth+1) {
				object[name] = value
			}
		}
	}
	for name, property := range s.Properties {
		required := slices.Contains(s.Required, name)
		if property.Value == nil || property.Value.ReadOnly || !required && depth > 0 {
			continue
		}
		value := own[name]
		if value == nil || isObject(property.Value) || !fits(property.Value, value) {
			value = exampleAt(property, depth+1)
		}
		if value != nil {
			object[name] = value
		}
	}
	return object
}

func arrayExample(s *openapi3.Schema, depth int) []any {
	n := max(s.MinItems, 1)
	if depth > maxExampleDepth {
		n = s.MinItems
	}
	array := []any{}
	for range min(n, 20) {
		array = append(array, exampleAt(s.Items, depth+1))
	}
	return array
}

func numberExample(s *openapi3.Schema) any {
	step := 1.0
	if s.MultipleOf != nil && *s.MultipleOf > 0 {
		step = *s.MultipleOf
	}
	n := step
	if s.Min != nil {
		n = math.Max(n, math.Ceil(*s.Min/step)*step+exclusiveStep(s.ExclusiveMin, step))
	}
	if s.ExclusiveMin.Value != nil {
		n = math.Max(n, math.Floor(*s.ExclusiveMin.Value/step)*step+step)
	}
	if s.Max != nil && n > *s.Max {
		n = math.Floor(*s.Max/step)*step - exclusiveStep(s.ExclusiveMax, step)
	}
	if s.ExclusiveMax.Value != nil && n >= *s.ExclusiveMax.Value {
		n = math.Ceil(*s.ExclusiveMax.Value/step)*step - step
	}
	if is(s, "integer") {
		return int64(n)
	}
	return n
}

func exclusiveStep(bound openapi3.ExclusiveBound, step float64) float64 {
	if bound.IsTrue() {
		return step
	}
	return 0
}

// formats have an example of each format that decoding or PostgreSQL looks at.
var formats = map[string]string{
	"date": "2026-01-31", "date-time": "2026-01-31T12:00:00Z", "time": "12:00:00Z", "duration": "P1D",
	"uuid": "0198a1b2-6f3c-7d4e-8a5b-9c0d1e2f3a4b", "email": "jo@example.com",
	"uri": "https://example.com/a", "url": "https://example.com/a", "uri-reference": "/a", "hostname": "example.com",
	"ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "byte": "ZXhhbXBsZQ==", "binary": "example",
	"decimal": "12.50", "money": "12.50",
}

func stringExample(s *openapi3.Schema) string {
	if value, ok := formats[strings.ToLower(s.Format)]; ok {
		return value
	}
	value := "example"
	for uint64(len(value)) < min(s.MinLength, 10_000) {
		value += "-example"
	}
	if s.MaxLength != nil && uint64(len(value)) > *s.MaxLength {
		value = value[:*s.MaxLength]
	}
	return value
}

// fits tells whether the document's own example is a value of the schema, which
// not all of them are, and one that Go decodes.
func fits(s *openapi3.Schema, value any) bool {
	if s.VisitJSON(value) != nil {
		return false
	}
	switch v := value.(type) {
	case string:
		return hasFormat(s.Format, v) && len(v) < 2000
	case float64:
		bits := 53.0
		if s.Format == "int32" {
			bits = 31
		}
		return !is(s, "integer") || math.Trunc(v) == v && math.Abs(v) < math.Pow(2, bits)
	}
	return true
}

func hasFormat(format, value string) bool {
	var err error
	switch strings.ToLower(format) {
	case "date":
		_, err = time.Parse(time.DateOnly, value)
	case "date-time":
		_, err = time.Parse(time.RFC3339, value)
	case "decimal", "money":
		_, err = strconv.ParseFloat(value, 64)
	case "uuid", "byte", "binary", "email":
		return false // ours is right
	}
	return err == nil
}
