package answers_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/internal/answers"
	"github.com/idemgen/idemgen/internal/lock"
	"github.com/idemgen/idemgen/internal/spec"
)

type jsonObject = map[string]any

// A value that is valid by the old schema, and that Compare finds no problem
// with, is valid by the new one. Another validator is the judge.
func TestCompareAgainstAValidator(t *testing.T) {
	dir := t.TempDir()
	satisfied := 0
	rapid.Check(t, func(t *rapid.T) {
		old, new := schemaPair(t, 3, true)
		oldP, newP := schemaPair(t, 2, false)
		before := loadRevision(t, filepath.Join(dir, "old.json"), old, oldP)
		after := loadRevision(t, filepath.Join(dir, "new.json"), new, newP)
		if answers.NewComparison(before.schemas, after.schemas).Compare(before.lines, after.lines) != nil {
			return
		}
		for range 20 {
			v := value(t, old, jsonObject{"P": oldP}, 5)
			if before.schema.VisitJSON(v) != nil {
				continue // a part of allOf, for instance
			}
			satisfied++
			if err := after.schema.VisitJSON(v); err != nil {
				t.Fatalf("%v is valid by %v, and not by %v (P: %v, then %v): %v", v, text(old), text(new), text(oldP), text(newP), err)
			}
		}
	})
	if satisfied < 100 {
		t.Errorf("only %d values were compared", satisfied)
	}
}

type revision struct {
	lines   lock.Schema
	schemas map[string]lock.Schema
	schema  *openapi3.Schema
}

func text(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func loadRevision(t *rapid.T, name string, schema, p jsonObject) revision {
	if err := os.WriteFile(name, []byte(text(jsonObject{
		"openapi": "3.0.3", "info": jsonObject{"title": "t", "version": "1"},
		"paths": jsonObject{"/pets": jsonObject{"post": jsonObject{"operationId": "createPet", "x-idempotent": true, "responses": jsonObject{
			"201": jsonObject{"description": "ok", "content": jsonObject{"application/json": jsonObject{"schema": schema}}}}}}},
		"components": jsonObject{"schemas": jsonObject{"P": p}},
	})), 0o600); err != nil {
		t.Fatal(err)
	}
	doc, diags := spec.Load(name, "openapi.json")
	if !diags.Empty() {
		t.Fatalf("%s: %v", text(schema), diags.All())
	}
	document, err := doc.OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	byOperation, schemas := answers.Record(doc)
	return revision{
		byOperation["createPet"]["201 application/json"], schemas,
		document.Paths.Find("/pets").Post.Responses.Value("201").Value.Content["application/json"].Schema.Value,
	}
}

// schemaPair draws a schema and another revision of it. What Compare reads in
// its own way isn't drawn: nullable and closed parts of allOf, overlaps of oneOf.
func schemaPair(t *rapid.T, depth int, refs bool) (old, new jsonObject) {
	if rapid.IntRange(0, 9).Draw(t, "independent") == 0 {
		old, _ = schemaPair(t, depth-1, refs)
		new, _ = schemaPair(t, depth-1, refs)
		return old, new
	}
	kinds := []string{"string", "integer", "boolean"}
	if depth > 0 {
		kinds = append(kinds, "object", "object", "array", "anyOf", "allOf")
	}
	if refs {
		kinds = append(kinds, "ref")
	}
	kind := rapid.SampledFrom(kinds).Draw(t, "kind")
	switch kind {
	case "ref":
		return jsonObject{"$ref": "#/components/schemas/P"}, jsonObject{"$ref": "#/components/schemas/P"}
	case "anyOf", "allOf":
		a, a2 := schemaPair(t, depth-1, refs)
		b, b2 := schemaPair(t, depth-1, refs)
		old, new = jsonObject{kind: []any{a, b}}, jsonObject{kind: []any{a2, b2}}
		if kind == "allOf" {
			open(old)
			open(new)
		}
		return old, new
	}
	old, new = jsonObject{"type": kind}, jsonObject{"type": kind}
	both := func(name string, draw func() any) {
		if rapid.Bool().Draw(t, name) {
			return
		}
		old[name] = draw()
		if new[name] = old[name]; rapid.IntRange(0, 3).Draw(t, "tweak") == 0 {
			if delete(new, name); rapid.Bool().Draw(t, "other") {
				new[name] = draw()
			}
		}
	}
	number := func() any { return rapid.IntRange(0, 3).Draw(t, "number") }
	yes := func() any { return true }
	switch kind {
	case "string":
		both("maxLength", number)
		both("minLength", number)
		both("enum", func() any {
			return slices.Compact(slices.Sorted(slices.Values(rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "bb", "ccc"}), 1, 3).Draw(t, "enum"))))
		})
		both("nullable", yes)
	case "integer":
		both("minimum", number)
		both("maximum", number)
		both("nullable", yes)
		both("exclusiveMinimum", yes)
	case "array":
		old["items"], new["items"] = schemaPair(t, depth-1, refs)
		both("maxItems", number)
	case "object":
		p, p2 := jsonObject{}, jsonObject{}
		for _, name := range []string{"a", "b"} {
			p[name], p2[name] = schemaPair(t, depth-1, refs)
			if rapid.IntRange(0, 3).Draw(t, "drop") == 0 {
				delete([]jsonObject{p, p2}[rapid.IntRange(0, 1).Draw(t, "of")], name)
			}
		}
		old["properties"], new["properties"] = p, p2
		both("required", func() any { return []any{rapid.SampledFrom([]string{"a", "b"}).Draw(t, "required")} })
		both("additionalProperties", func() any {
			if rapid.Bool().Draw(t, "closed") {
				return false
			}
			return jsonObject{"type": rapid.SampledFrom([]string{"string", "integer"}).Draw(t, "others")}
		})
	}
	return old, new
}

// open takes away what is said of other properties, and of null.
func open(v any) {
	switch v := v.(type) {
	case jsonObject:
		delete(v, "additionalProperties")
		delete(v, "nullable")
		for _, inner := range v {
			open(inner)
		}
	case []any:
		for _, inner := range v {
			open(inner)
		}
	}
}

// value draws one that may be valid. Properties that aren't declared are only there
// where the schema says what they are.
func value(t *rapid.T, schema, components jsonObject, depth int) any {
	if schema["nullable"] == true && rapid.IntRange(0, 3).Draw(t, "null") == 0 {
		return nil
	}
	for _, kind := range []string{"anyOf", "allOf"} {
		if parts, ok := schema[kind].([]any); ok {
			values := make([]any, len(parts))
			for i, part := range parts {
				values[i] = value(t, part.(jsonObject), components, depth)
			}
			first, ok := values[0].(jsonObject)
			second, ok2 := values[1].(jsonObject)
			if kind == "allOf" && ok && ok2 {
				maps.Copy(first, second)
				return first
			}
			return rapid.SampledFrom(values).Draw(t, "one")
		}
	}
	if schema["$ref"] != nil {
		return value(t, components["P"].(jsonObject), components, depth)
	}
	switch schema["type"] {
	case "string":
		return rapid.SampledFrom([]string{"", "a", "bb", "ccc"}).Draw(t, "string")
	case "integer":
		return float64(rapid.IntRange(-1, 4).Draw(t, "integer"))
	case "boolean":
		return rapid.Bool().Draw(t, "boolean")
	case "array":
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			list = append(list, value(t, schema["items"].(jsonObject), components, depth-1))
		}
		return list
	}
	o := jsonObject{}
	for _, name := range []string{"a", "b"} {
		inner, ok := schema["properties"].(jsonObject)[name].(jsonObject)
		if !ok {
			inner, ok = schema["additionalProperties"].(jsonObject)
		}
		if ok && rapid.IntRange(0, 3).Draw(t, "there") > 0 {
			o[name] = value(t, inner, components, depth-1)
		}
	}
	return o
}
