package spec

import (
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The generator can't import the runtime, but warns of what the runtime does.
func TestNeverStoredIsTheRuntimes(t *testing.T) {
	file, err := parser.ParseFile(gotoken.NewFileSet(), "../../runtime/response.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || v.Names[0].Name != "neverStored" {
			return true
		}
		for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
			name, err := strconv.Unquote(e.(*ast.KeyValueExpr).Key.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			want[strings.ToLower(name)] = true
		}
		return false
	})
	got := strings.Fields(neverStored)
	slices.Sort(got)
	if !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
		t.Errorf("the runtime never stores %v; the generator warns of %v", slices.Sorted(maps.Keys(want)), got)
	}
}

// $refs that fan out, and combinations of alternatives, must not take forever.
func TestHostileSchemas(t *testing.T) {
	var fan, choice strings.Builder
	for i := range 40 {
		fmt.Fprintf(&fan, "    S%d: {allOf: [{$ref: '#/components/schemas/S%d'}, {$ref: '#/components/schemas/S%d'}]}\n", i, i+1, i+1)
		fmt.Fprintf(&choice, "{anyOf: [{type: object}, {required: [a]}]}, ")
	}
	for _, schemas := range []string{
		fan.String() + "    S40: {type: object}\n",
		"    S0: {allOf: [" + choice.String() + "]}\n",
	} {
		start := time.Now()
		_, out := load(t, "openapi.yaml", post("{fingerprint: {exclude: [/a]}}")+
			"      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/S0'}}}}\ncomponents:\n  schemas:\n"+schemas)
		if !strings.Contains(out, "can't be checked: too many") {
			t.Errorf("got %s", out)
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("took %v", took)
		}
	}
}

// What an operation refers to may be in other files, by $refs to $refs.
func TestContractInOtherFiles(t *testing.T) {
	d, out := load(t, "openapi.yaml", head+"paths: {/a: {$ref: 'paths/a.yaml'}}\n",
		"paths/a.yaml", `
parameters: [{$ref: '../parts.yaml#/key'}]
post:
  operationId: a
  x-idempotent: {}
  responses: {200: {$ref: '../parts.yaml#/ok'}}
put:
  operationId: b
  x-idempotent: {key: {natural: [/id, /no]}}
  requestBody: {$ref: '../parts.yaml#/body'}
  responses: {200: {description: ok}}
`, "parts.yaml", `
key: {$ref: '#/parameters/key'}
parameters: {key: {name: idempotency-Key, in: header, schema: {$ref: '#/short'}}}
short: {type: string, maxLength: 9}
body: {required: true, content: {application/json: {schema: {$ref: '#/object'}}}}
object: {type: object, required: [id], properties: {id: {$ref: '#/short'}}}
ok: {description: ok, headers: {Date: {schema: {type: string}}}}
`)
	expect(t, out, `
parts.yaml:7:33: "Date" is of one exchange or one person: with x-idempotent it is neither sent nor replayed on stored answers; remove it here, and let a middleware set it if every answer needs it [extension/response-header]
    7 | ok: {description: ok, headers: {Date: {schema: {type: string}}}}
      |                                 ^^^^
paths/a.yaml:9:39: key.natural: "/no" is not in the schema: the body has no property "no"; declare it under properties [extension/pointer]
    9 |   x-idempotent: {key: {natural: [/id, /no]}}
      |                                       ^^^
2 problems; nothing was written
`)
	if k := d.Operations[0].Idempotent.Key; k.Header != "idempotency-Key" || k.MaxLength != 9 {
		t.Errorf("key: %+v", k)
	}
}
