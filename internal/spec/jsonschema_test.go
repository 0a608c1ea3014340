package spec

import (
	"encoding/json"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
	"github.com/idemgen/idemgen/internal/schema/schematest"
)

func TestSchemaHasTheFieldsOfTheTable(t *testing.T) {
	var names []string
	for _, f := range fields {
		if f.parse != nil {
			names = append(names, f.name)
		}
	}
	schematest.Fields(t, names, properties, "internal/spec/jsonschema.go")
	schematest.Reference(t, "../../docs/reference/extension.md", properties)
}

// structural are the rules that the schema has too.
var structural = []string{RuleType, RuleUnknown, RuleUnsupported, RuleName, RuleIsolation, RuleKeyFormat, RuleKeyLength}

// What the reader accepts is valid, and what it refuses for its structure isn't.
func TestSchemaAgreesWithTheReader(t *testing.T) {
	compiled := schematest.Compile(t, ExtensionSchema())
	valid, invalid := 0, 0
	for _, e := range schematest.Examples(t, "../..") {
		for _, n := range extensions(e.Node) {
			value, err := schematest.Value(n)
			if err != nil {
				continue
			}
			diags := readAlone(t, value)
			refused := compiled.Validate(value)
			if diags.Empty() {
				valid++
				if refused != nil {
					t.Errorf("%s:%d: the reader accepts it, the schema doesn't: %v", e.Name, n.Line, refused)
				}
			}
			for _, d := range diags.All() {
				if slices.Contains(structural, d.Rule) {
					invalid++
					if refused == nil {
						t.Errorf("%s:%d: the schema accepts it, in spite of: %s", e.Name, n.Line, d.Message)
					}
				}
			}
		}
	}
	if valid < 40 || invalid < 10 {
		t.Errorf("only %d valid examples and %d mistakes were found", valid, invalid)
	}
}

// extensions finds the values of x-idempotent, wherever they stand.
func extensions(n *yaml.Node) (list []*yaml.Node) {
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].Value == extensionKey {
			list = append(list, c)
		}
		list = append(list, extensions(c)...)
	}
	return list
}

// readAlone reads an extension as that of an operation about which nothing else
// is known.
func readAlone(t *testing.T, value any) *diag.Set {
	t.Helper()
	text, err := json.Marshal(map[string]any{extensionKey: value})
	if err != nil {
		t.Fatal(err)
	}
	p := doctree.Parser{Rules: doctree.Rules{Syntax: RuleSyntax, Duplicate: RuleDuplicate, Limit: RuleLimit}}
	root, _, diags := p.Parse("x.json", text)
	if !diags.Empty() {
		return diags
	}
	w := &walker{diags: diags}
	w.extension(&Operation{ID: "x", Method: "POST", Path: "/x", node: root}, root.Entries[0])
	return diags
}
