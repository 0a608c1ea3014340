package answers_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/answers"
	"github.com/idemgen/idemgen/internal/spec"
)

// Whatever a document says, its answers are recorded in lines that can be read
// back, quickly, and that are satisfied by themselves.
func FuzzRecord(f *testing.F) {
	for _, schema := range []string{
		"{$ref: '#/components/schemas/A'}", "{type: [string, 'null'], enum: [a, null, 1e999999999, {a: [1]}], const: a}",
		`{allOf: [{$ref: '#/components/schemas/A'}, {properties: {"[]": {}, "(0)": {}, "~/": {}, "": {}, "{}": {writeOnly: true}}}], required: [x, "", 1]}`,
		"{oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}, true], anyOf: [{}], nullable: true, discriminator: {propertyName: 'a b'}}",
		`{type: array, items: {pattern: "\"\\ x", format: "a required"}, minItems: 1.5, uniqueItems: true, prefixItems: [{}]}`,
		"{additionalProperties: {additionalProperties: false}, items: false, properties: 1, minimum: .inf, exclusiveMinimum: true, maximum: x}",
	} {
		f.Add(schema, "{oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}")
	}
	f.Fuzz(func(t *testing.T, schema, a string) {
		name := filepath.Join(t.TempDir(), "openapi.yaml")
		text := document("3.1.0", schema, "A: "+a+", B: {anyOf: [{$ref: '#/components/schemas/A'}, {type: string}]}")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		doc, diags := spec.Load(name, "openapi.yaml")
		if !diags.Empty() {
			return
		}
		start := time.Now()
		byOperation, schemas := answers.Record(doc)
		for _, list := range byOperation {
			for _, lines := range list {
				if problems := answers.NewComparison(schemas, schemas).Compare(lines, lines); problems != nil {
					t.Errorf("%q isn't satisfied by itself: %v", lines, problems)
				}
				answers.NewComparison(schemas, nil).Compare(lines, nil)
				for _, p := range answers.NewComparison(nil, schemas).Compare(nil, lines) {
					if p.Unreadable() {
						t.Errorf("%q: %s", lines, p)
					}
				}
			}
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("took %v", took)
		}
	})
}
