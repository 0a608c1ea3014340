package answers_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/answers"
	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/lock"
	"github.com/idemgen/idemgen/internal/spec"
)

// document has one operation, whose 201 has this schema.
func document(version, schema, components string) string {
	text := "openapi: " + version + `
info: {title: t, version: "1"}
paths:
  /pets:
    post:
      operationId: createPet
      x-idempotent: {}
      responses:
        "201": {description: ok, content: {application/json: {schema: ` + schema + "}}}\n"
	if components != "" {
		text += "components: {schemas: {" + components + "}}\n"
	}
	return text
}

func record(t *testing.T, text string) (lock.Schema, map[string]lock.Schema) {
	t.Helper()
	byOperation, schemas := answers.Record(load(t, text))
	return byOperation["createPet"]["201 application/json"], schemas
}

func load(t *testing.T, text string) *spec.Document {
	t.Helper()
	name := filepath.Join(t.TempDir(), "openapi.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	doc, diags := spec.Load(name, "openapi.yaml")
	if !diags.Empty() {
		var b strings.Builder
		_ = diag.PrintText(&b, diags, doc.Source)
		t.Fatal(b.String())
	}
	return doc
}

func lines(schema lock.Schema) string {
	var b strings.Builder
	for _, at := range slices.Sorted(maps.Keys(schema)) {
		fmt.Fprintf(&b, "%q: %s\n", at, schema[at])
	}
	return b.String()
}

func TestRecord(t *testing.T) {
	for name, c := range map[string]struct{ version, schema, components, want string }{
		"scalars": {"3.0.3", `{type: object, required: [id, a b], properties: {
			id: {type: string, format: uuid}, a b: {type: integer, minimum: 1, maximum: 9, exclusiveMaximum: true},
			status: {type: string, enum: [b, a, "1", "x y", "a|b"], nullable: true}, n: {enum: [1, 2.5]}, a/b~c: {type: string, maxLength: 9, pattern: "^ \"x"},
			secret: {type: string, writeOnly: true}, "[]": {type: boolean}}}`, "", `
"": object
"/a b": integer minimum 1 exclusiveMaximum 9 required
"/a~1b~0c": string maxLength 9 pattern "^ \"x"
"/id": string format uuid required
"/n": number enum 1|2.5
"/status": null|string enum "1"|a|"a|b"|b|"x y"
"/~[]": boolean
`},
		"nullable is the same in 3.1": {"3.1.0", `{type: object, properties: {a: {type: [string, "null"]}, b: {const: x}}}`, "", `
"": object
"/a": null|string
"/b": string enum x
`},
		"lists and maps": {"3.0.3", `{type: object, properties: {
			tags: {type: array, maxItems: 5, items: {type: string}}, meta: {type: object, additionalProperties: {type: integer}},
			closed: {type: object, additionalProperties: false}, open: {type: object, additionalProperties: true}}}`, "", `
"": object
"/closed": object closed
"/meta": object
"/meta/{}": integer
"/open": object
"/tags": array maxItems 5
"/tags/[]": string
`},
		"allOf is merged, refs are kept": {"3.0.3", `{allOf: [{$ref: '#/components/schemas/Base'}, {type: object, required: [a], properties: {a: {type: string}}}, {properties: {a: {maxLength: 3}}}]}`,
			`Base: {type: object, properties: {next: {$ref: '#/components/schemas/Base'}}}`, `
"": object ref Base
"/a": string maxLength 3 required
Base "": object
Base "/next": ref Base
`},
		"alternatives": {"3.0.3", `{nullable: true, oneOf: [{$ref: '#/components/schemas/Cat'}, {type: string}], discriminator: {propertyName: kind}}`,
			`Cat: {type: object}`, `
"": nullable oneOf 2 discriminator kind
"/(0)": ref Cat
"/(1)": string
Cat "": object
`},
		"what isn't compared is a hash": {"3.1.0", `{type: object, patternProperties: {"^x-": {type: string}}}`, "", `
"": object other 21dd295c
`},
	} {
		t.Run(name, func(t *testing.T) {
			schema, components := record(t, document(c.version, c.schema, c.components))
			got := lines(schema)
			for _, name := range slices.Sorted(maps.Keys(components)) {
				for line := range strings.Lines(lines(components[name])) {
					got += name + " " + line
				}
			}
			if got != strings.TrimPrefix(c.want, "\n") {
				t.Errorf("got:\n%swant:%s", got, c.want)
			}
		})
	}
}

// object is an object schema with these properties.
func object(properties string, required ...string) string {
	return "{type: object, properties: {" + properties + "}, required: [" + strings.Join(required, ", ") + "]}"
}

func TestCompare(t *testing.T) {
	const ref = "{$ref: '#/components/schemas/Pet'}"
	for name, c := range map[string]struct {
		old, new   string
		want       []string
		components [2]string
	}{
		"nothing changed":         {old: object("a: {type: string}"), new: object("a: {type: string}")},
		"an optional property":    {old: object(""), new: object("a: {type: string}")},
		"a required property":     {old: object("a: {type: string}"), new: object("a: {type: string}", "a"), want: []string{`"/a" is required now`}},
		"a new required property": {old: object(""), new: object("a: {}", "a"), want: []string{`"/a" is required now`}},
		"required dropped":        {old: object("a: {type: string}", "a"), new: object("a: {type: string}")},
		"a property removed":      {old: object("a: {type: string}"), new: object("")},
		"another type":            {old: object("a: {type: string}"), new: object("a: {type: integer}"), want: []string{`"/a" was string and is integer now`}},
		"integer to number":       {old: object("a: {type: integer}"), new: object("a: {type: number}")},
		"number to integer":       {old: object("a: {type: number}"), new: object("a: {type: integer}"), want: []string{`"/a" was number and is integer now`}},
		"any to a type":           {old: object("a: {}"), new: object("a: {type: string}"), want: []string{`"/a" was anything and is string now`}},
		"a type to any":           {old: object("a: {type: string}"), new: object("a: {}")},
		"nullable dropped":        {old: object("a: {type: string, nullable: true}"), new: object("a: {type: string}"), want: []string{`"/a" can't be null any more`}},
		"nullable added":          {old: object("a: {type: string}"), new: object("a: {type: string, nullable: true}")},
		"a format":                {old: object("a: {type: string}"), new: object("a: {type: string, format: uuid}"), want: []string{`"/a" has the format "uuid" now`}},
		"format dropped":          {old: object("a: {type: string, format: uuid}"), new: object("a: {type: string}")},
		"int32 to int64":          {old: object("a: {type: integer, format: int32}"), new: object("a: {type: integer, format: int64}")},
		"int64 to int32":          {old: object("a: {type: integer, format: int64}"), new: object("a: {type: integer, format: int32}"), want: []string{`"/a" has the format "int32" now`}},
		"enum grown":              {old: object("a: {type: string, enum: [x]}"), new: object("a: {type: string, enum: [x, y z]}")},
		"enum shrunk":             {old: object("a: {type: string, enum: [x, y z]}"), new: object("a: {type: string, enum: [x]}"), want: []string{`"/a" doesn't take "y z" any more`}},
		"enum added":              {old: object("a: {type: string}"), new: object("a: {type: string, enum: [x]}"), want: []string{`"/a" takes only "x" now`}},
		"enum dropped":            {old: object("a: {type: string, enum: [x]}"), new: object("a: {type: string}")},
		"minimum raised":          {old: object("a: {type: integer, minimum: 1}"), new: object("a: {type: integer, minimum: 2}"), want: []string{`"/a" has minimum 2 now`}},
		"minimum lowered":         {old: object("a: {type: integer, minimum: 10}"), new: object("a: {type: integer, minimum: 9}")},
		"exclusive to inclusive":  {old: object("a: {type: integer, minimum: 1, exclusiveMinimum: true}"), new: object("a: {type: integer, minimum: 1}")},
		"inclusive to exclusive":  {old: object("a: {type: integer, minimum: 1}"), new: object("a: {type: integer, minimum: 1, exclusiveMinimum: true}"), want: []string{`"/a" has exclusiveMinimum 1 now`}},
		"maxLength tightened":     {old: object("a: {type: string, maxLength: 9}"), new: object("a: {type: string, maxLength: 8}"), want: []string{`"/a" has maxLength 8 now`}},
		"a pattern":               {old: object("a: {type: string}"), new: object("a: {type: string, pattern: ^x}"), want: []string{`"/a" has the pattern "^x" now`}},
		"closed":                  {old: object("a: {}"), new: "{type: object, properties: {a: {}}, additionalProperties: false}", want: []string{`the answer can't have other properties any more`}},
		"opened":                  {old: "{type: object, properties: {a: {}}, additionalProperties: false}", new: object("a: {}")},
		"removed from closed": {old: "{type: object, properties: {a: {}, b: {}}, additionalProperties: false}", new: "{type: object, properties: {b: {}}, additionalProperties: false}",
			want: []string{`"/a" isn't allowed any more`}},
		"other properties narrowed": {old: "{type: object, additionalProperties: {type: number}}", new: "{type: object, additionalProperties: {type: integer}}",
			want: []string{`"/{}" was number and is integer now`}},
		"a property that others were":     {old: "{type: object, additionalProperties: {type: string}}", new: object("a: {type: integer}"), want: []string{`"/a" was string and is integer now`}},
		"items":                           {old: "{type: array, items: {type: string}}", new: "{type: array, items: {type: integer}}", want: []string{`"/[]" was string and is integer now`}},
		"items of any type":               {old: "{type: array, items: {}}", new: "{type: array, items: {type: integer}}", want: []string{`"/[]" was anything and is integer now`}},
		"allOf instead of properties":     {old: object("a: {type: string}"), new: "{allOf: [" + object("a: {type: string}") + "]}"},
		"a component renamed and inlined": {old: ref, new: object("a: {type: string}"), components: [2]string{"Pet: " + object("a: {type: string}"), ""}},
		"an alternative added":            {old: "{oneOf: [{type: string}]}", new: "{oneOf: [{type: string}, {type: integer}]}"},
		"an alternative removed": {old: "{oneOf: [{type: string}, {type: integer}]}", new: "{oneOf: [{type: string}, {type: boolean}]}",
			want: []string{`the answer can be what none of the alternatives is now`}},
		"an alternative changed": {old: "{oneOf: [{type: object, required: [a]}, {type: string}]}", new: "{oneOf: [{type: object, required: [b]}, {type: string}]}",
			want: []string{`the answer can be what none of the alternatives is now`}},
		"a plain schema among alternatives": {old: object("a: {type: string}", "a"), new: "{anyOf: [" + object("b: {}", "b") + ", " + object("a: {type: string}") + "]}"},
		"told apart by another property": {old: "{oneOf: [{type: object}], discriminator: {propertyName: a}}", new: "{oneOf: [{type: object}], discriminator: {propertyName: b}}",
			want: []string{`the answer is told apart by "b" now`}},
		"not": {old: "{type: string}", new: "{type: string, not: {enum: [a]}}",
			want: []string{`the answer has changed in keywords that can't be compared (not, if, patternProperties and the like)`}},
		"within a cycle": {old: ref, new: ref, want: []string{`"/a" is required now`}, components: [2]string{
			"Pet: " + object("a: {type: string}, next: "+ref), "Pet: " + object("a: {type: string}, next: "+ref, "a")}},
		"a nullable reference": {old: object("a: {nullable: true, allOf: [" + ref + "]}"), new: object("a: " + ref), want: []string{`"/a" can't be null any more`},
			components: [2]string{"Pet: {type: object}", "Pet: {type: object}"}},
		"nullable in both": {old: object("a: {nullable: true, allOf: [" + ref + "]}"), new: object("a: {nullable: true, allOf: [" + ref + "]}"),
			components: [2]string{"Pet: {type: object}", "Pet: {type: object, properties: {b: {}}}"}},
	} {
		t.Run(name, func(t *testing.T) {
			old, oldSchemas := record(t, document("3.0.3", c.old, c.components[0]))
			new, newSchemas := record(t, document("3.0.3", c.new, c.components[1]))
			var got []string
			for _, p := range answers.NewComparison(oldSchemas, newSchemas).Compare(old, new) {
				got = append(got, p.String())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q\nold:\n%snew:\n%s", got, c.want, lines(old), lines(new))
			}
		})
	}
}

// Both of two answers that refer to one schema are found, also where it refers
// back to them.
func TestCompareTwice(t *testing.T) {
	const cycle = "A: {type: object, properties: {b: {$ref: '#/components/schemas/B'}}}, B: {type: object, properties: {a: {$ref: '#/components/schemas/A'}, x: {type: string}}%s}"
	_, old := record(t, document("3.0.3", "{$ref: '#/components/schemas/A'}", fmt.Sprintf(cycle, "")))
	_, new := record(t, document("3.0.3", "{$ref: '#/components/schemas/A'}", fmt.Sprintf(cycle, ", required: [x]")))
	c := answers.NewComparison(old, new)
	for name, want := range map[string]string{"A": `"/b/x" is required now`, "B": `"/x" is required now`} {
		answer := lock.Schema{"": "ref " + name}
		if got := c.Compare(answer, answer); len(got) != 1 || got[0].String() != want {
			t.Errorf("%s: got %v, want %s", name, got, want)
		}
	}
}
