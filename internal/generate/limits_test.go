package generate_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/generate"
)

const noOperations = "openapi: 3.0.3\ninfo: {title: t, version: \"1\"}\npaths: {}\n"

func operationsOf(n int) string {
	var b strings.Builder
	b.WriteString("openapi: 3.0.3\ninfo: {title: t, version: \"1\"}\npaths:\n")
	for i := range n {
		fmt.Fprintf(&b, "  /p%d:\n    post: {operationId: op%d, x-idempotent: {}, responses: {\"201\": {description: d}}}\n", i, i)
	}
	return b.String()
}

// enum is one of many values.
func enum(n int) string {
	var b strings.Builder
	b.WriteString(noOperations + "components:\n  schemas:\n    A:\n      type: string\n      enum:\n")
	for i := range n {
		fmt.Fprintf(&b, "        - v%d\n", i)
	}
	return b.String()
}

// doubling has n schemas, each with twice the one before: 2^n in all, if references
// were copied.
func doubling(n int, of string) string {
	var b strings.Builder
	b.WriteString("openapi: 3.0.3\ninfo: {title: t, version: \"1\"}\n" +
		"paths: {/a: {post: {operationId: a, x-idempotent: {}, requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/S0'}}}}, " +
		"responses: {\"201\": {description: d, content: {application/json: {schema: {$ref: '#/components/schemas/S0'}}}}}}}}\ncomponents:\n  schemas:\n")
	for i := range n {
		ref := fmt.Sprintf("{$ref: '#/components/schemas/S%d'}", i+1)
		fmt.Fprintf(&b, "    S%d: %s\n", i, strings.ReplaceAll(of, "REF", ref))
	}
	fmt.Fprintf(&b, "    S%d: {type: string}\n", n)
	return b.String()
}

func aliases(levels int) string {
	var b strings.Builder
	b.WriteString(noOperations + "x-a0: &a0 [x, x]\n")
	for i := range levels {
		fmt.Fprintf(&b, "x-a%d: &a%d [*a%d, *a%d, *a%d, *a%d]\n", i+1, i+1, i, i, i, i)
	}
	return b.String()
}

// Documents that grow, or never end, are refused with a reason or are finished in a
// time and with memory that are bounded.
func TestDocumentsThatExplode(t *testing.T) {
	deep := 3000
	for name, c := range map[string]struct {
		text string
		want string // in a message; "" if it is generated, "*" if either is right
	}{
		"many operations":           {operationsOf(2000), ""},
		"huge enum":                 {enum(20_000), ""},
		"deep mapping":              {noOperations + "x-a: " + strings.Repeat("{a: ", deep) + "1" + strings.Repeat("}", deep), "levels deep"},
		"deep list":                 {noOperations + "x-a: " + strings.Repeat("[", deep) + strings.Repeat("]", deep), "levels deep"},
		"deep brackets":             {noOperations + "x-a: " + strings.Repeat("[", 500_000), "not valid YAML"},
		"aliases":                   {aliases(20), "expand to more than"},
		"alias of itself":           {noOperations + "x-a: &a [*a]\n", "contains itself"},
		"cycle of references":       {noOperations + "components: {schemas: {A: {$ref: '#/components/schemas/B'}, B: {$ref: '#/components/schemas/A'}}}\n", "unresolved"},
		"cycle of required objects": {doubling(1, "{type: object, required: [a], properties: {a: {$ref: '#/components/schemas/S0'}}}"), "recursive"},
		"doubling properties":       {doubling(40, "{type: object, properties: {a: REF, b: REF}}"), ""},
		"doubling allOf":            {doubling(14, "{type: object, allOf: [REF, REF]}"), "*"},
		"doubling anyOf":            {doubling(40, "{anyOf: [REF, REF]}"), "already declared"},
		"cycle of allOf":            {doubling(1, "{type: object, allOf: [{$ref: '#/components/schemas/S0'}]}"), "*"},
		"cycle of items":            {doubling(1, "{type: array, items: {$ref: '#/components/schemas/S0'}}"), "*"},
		"a file outside":            {noOperations + "components: {schemas: {A: {$ref: '../../../../../../etc/passwd'}}}\n", "*"},
		"a device":                  {noOperations + "components: {schemas: {A: {$ref: '/dev/zero'}}}\n", "absolute path"},
		"the network":               {noOperations + "components: {schemas: {A: {$ref: 'http://127.0.0.1:1/a.yaml'}}}\n", "network"},
	} {
		t.Run(name, func(t *testing.T) {
			records, err := store()
			if err != nil {
				t.Fatal(err)
			}
			dir := newService(t)
			write(t, filepath.Join(dir, "openapi.yaml"), c.text)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			made, diags, err := generate.RunDocument(filepath.Join(dir, "idemgen.yaml"), records)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			allocated := (after.TotalAlloc - before.TotalAlloc) >> 20
			t.Logf("%s, %d MiB", took, allocated)
			if took > 2*time.Minute || allocated > 4<<10 {
				t.Errorf("took %s and %d MiB", took, allocated)
			}
			var messages []string
			for _, d := range diags.All() {
				messages = append(messages, d.Message)
			}
			text := strings.Join(messages, "\n")
			if c.want == "*" && (made != nil) == (text == "") {
				return
			}
			if (made != nil) != (c.want == "") || !strings.Contains(text, c.want) {
				t.Errorf("generated: %t; messages: %.500s; want %q", made != nil, text, c.want)
			}
		})
	}
}
