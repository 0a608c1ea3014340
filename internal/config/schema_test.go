package config

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/idemgen/idemgen/internal/diag/doctree"
	"github.com/idemgen/idemgen/internal/schema/schematest"
)

func TestSchemaHasTheFieldsOfTheTable(t *testing.T) {
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	schematest.Fields(t, names, properties, "internal/config/schema.go")
	schematest.Reference(t, "../../docs/reference/config.md", properties)
}

// structural are the rules that the schema has too.
var structural = []string{RuleType, RuleUnknown, RuleVersion}

// What Load accepts is valid, and what it refuses for its structure isn't.
func TestSchemaAgreesWithLoad(t *testing.T) {
	compiled := schematest.Compile(t, Schema())
	valid, invalid := 0, 0
	for _, e := range schematest.Examples(t, "../..") {
		value, err := schematest.Value(e.Node)
		if err != nil || !isConfiguration(e.Node) {
			continue
		}
		path := filepath.Join(t.TempDir(), "idemgen.yaml")
		if err := os.WriteFile(path, e.Text, 0o600); err != nil {
			t.Fatal(err)
		}
		_, diags := Load(path)
		refused := compiled.Validate(value)
		switch {
		case diags.Empty() && refused != nil:
			t.Errorf("%s: Load accepts it, the schema doesn't: %v", e.Name, refused)
		case diags.Empty():
			valid++
		default:
			for _, d := range diags.All() {
				if !slices.Contains(structural, d.Rule) {
					continue
				}
				invalid++
				if refused == nil {
					t.Errorf("%s: the schema accepts it, in spite of %s: %s", e.Name, d.Pos, d.Message)
				}
			}
		}
	}
	if valid < 10 || invalid < 5 {
		t.Errorf("only %d valid examples and %d mistakes were found", valid, invalid)
	}
}

// isConfiguration tells a configuration, however wrong, from other documents.
func isConfiguration(n *yaml.Node) bool {
	found := false
	for i := 0; i < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		switch name := n.Content[i].Value; name {
		case "openapi", "swagger", "overlay", "sql", "packages":
			return false
		default:
			found = found || slices.Contains(doctree.FieldNames(fields, ""), name)
		}
	}
	return found
}
