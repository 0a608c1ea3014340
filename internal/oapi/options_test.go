package oapi

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// each calls visit for the options of oapi-codegen, by their full names.
func each(group string, t reflect.Type, visit func(name string, t reflect.Type)) {
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		if name == "" || name == "-" {
			continue
		}
		name = join(group, name)
		visit(name, t.Field(i).Type)
		if t.Field(i).Type.Kind() == reflect.Struct {
			each(name, t.Field(i).Type, visit)
		}
	}
}

// A new version of oapi-codegen may rename an option that we refuse.
func TestRefusedOptionsExist(t *testing.T) {
	known := make(map[string]bool)
	each("", reflect.TypeFor[codegen.Configuration](), func(name string, _ reflect.Type) { known[name] = true })
	for name := range refused {
		if !known[name] {
			t.Errorf("oapi-codegen has no option %s", name)
		}
	}
}

const document = `openapi: 3.0.3
info: {title: t, version: "1"}
paths:
  /pets/{id}:
    post:
      operationId: create-pet
      tags: [a]
      security: [{key: []}]
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
        - {name: limit, in: query, schema: {type: integer}}
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
      responses:
        "201":
          description: ok
          headers: {Location: {schema: {type: string}}}
          content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}
components:
  securitySchemes: {key: {type: apiKey, name: k, in: header}}
  schemas:
    Pet: {type: object, properties: {kind: {type: string, enum: [cat, dog]}, tags: {type: array, items: {type: string}}, more: {type: object, properties: {a: {type: string, nullable: true}}}}}
`

// Whatever passes through leaves the names that our own code is made of.
func TestSwitchesKeepTheSeam(t *testing.T) {
	each("", reflect.TypeFor[codegen.Configuration](), func(name string, typ reflect.Type) {
		group, option, _ := strings.Cut(name, ".")
		if typ.Kind() != reflect.Bool || refused[name] != "" || refused[group] != "" {
			return
		}
		t.Run(name, func(t *testing.T) {
			options, problems := decode(t, fmt.Sprintf("{%s: {%s: true}}", group, option))
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			doc, err := openapi3.NewLoader().LoadFromData([]byte(document))
			if err != nil {
				t.Fatal(err)
			}
			api, err := Generate(doc, "api", options)
			if err != nil {
				t.Fatal(err)
			}
			op := api.Operations[0]
			if len(api.Operations) != 1 || op.GoName != "CreatePet" ||
				op.RequestType != "CreatePetRequestObject" || op.ResponseType != "CreatePetResponseObject" || len(op.Args) != 2 {
				t.Errorf("%+v", api.Operations)
			}
		})
	})
}

// oapi-codegen keeps its state in package variables: options must end with the call.
func TestOptionsEndWithTheCall(t *testing.T) {
	code := func(yaml string) string {
		options, problems := decode(t, yaml)
		doc, err := openapi3.NewLoader().LoadFromData([]byte(document))
		if err != nil || len(problems) > 0 {
			t.Fatal(err, problems)
		}
		api, err := Generate(doc, "api", options)
		if err != nil {
			t.Fatal(err)
		}
		return string(api.Code)
	}
	before := code("{}")
	changed := code("{compatibility: {always-prefix-enum-values: true}, output-options: {name-normalizer: ToCamelCaseWithInitialisms, additional-initialisms: [PET], resolve-type-name-collisions: true, type-mapping: {string: {formats: {uuid: {type: string}}}}}}")
	if before == changed || !strings.Contains(changed, "CreatePET") {
		t.Error("the options change nothing")
	}
	if code("{}") != before {
		t.Error("options of one call reached the next")
	}
}

func decode(t *testing.T, text string) (Options, []diag.Diagnostic) {
	t.Helper()
	var p doctree.Parser
	n, _, diags := p.Parse("idemgen.yaml", []byte(text))
	options := DecodeOptions(n, diags)
	return options, diags.All()
}

// What Serves says is what oapi-codegen does.
func TestServes(t *testing.T) {
	for _, text := range []string{
		"{}", "{include-tags: [a]}", "{include-tags: [b]}", "{exclude-tags: [b, a]}", "{exclude-tags: []}",
		"{include-operation-ids: [create-pet]}", "{include-operation-ids: [CreatePet]}", "{exclude-operation-ids: [create-pet]}",
		"{include-tags: [a], include-operation-ids: [x]}", "{include-tags: [a], exclude-operation-ids: [create-pet]}",
	} {
		options, problems := decode(t, "{output-options: "+text+"}")
		doc, err := openapi3.NewLoader().LoadFromData([]byte(document))
		if err != nil || len(problems) > 0 {
			t.Fatal(err, problems)
		}
		api, err := Generate(doc, "api", options)
		if err != nil {
			t.Fatal(err)
		}
		if want := len(api.Operations) == 1; options.Serves("create-pet", []string{"a"}) != want {
			t.Errorf("%s: generated is %v", text, want)
		}
	}
}
