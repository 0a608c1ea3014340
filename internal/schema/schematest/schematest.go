// Package schematest holds a schema, the table of fields behind it and the
// reference together, and tries it on every example of the repository.
package schematest

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"

	"github.com/idemgen/idemgen/internal/schema"
)

// Compile checks s itself, and makes it ready for use.
func Compile(t *testing.T, s schema.Schema) *jsonschema.Schema {
	t.Helper()
	text, err := s.Text()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(s.ID, doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile(s.ID)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// Fields holds the names of the decoder's table and of the schema's together.
func Fields(t *testing.T, decoded []string, properties []schema.Property, file string) {
	t.Helper()
	var described []string
	for _, p := range properties {
		described = append(described, p.Name)
		if !slices.Contains(decoded, p.Name) {
			t.Errorf("%s has a property %s that the table of fields doesn't have; remove it", file, p.Name)
		}
	}
	for _, name := range decoded {
		if !slices.Contains(described, name) {
			t.Errorf("%s has no property for the field %s; add {Name: %q, Description: the words of the reference, Schema: ...}", file, name, name)
		}
	}
	if !t.Failed() && !slices.Equal(decoded, described) {
		t.Errorf("%s has another order than the table of fields: %v", file, decoded)
	}
}

// Reference holds the properties and the table of fields in a reference page
// together: same fields, same words, same defaults.
func Reference(t *testing.T, page string, properties []schema.Property) {
	t.Helper()
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	rows := rows(string(content))
	for _, p := range properties {
		row, ok := rows[p.Name]
		if !ok {
			t.Errorf("%s has no row for %s", page, p.Name)
			continue
		}
		if row.words != p.Description {
			t.Errorf("%s says of %s\n%q\nand the schema\n%q", page, p.Name, row.words, p.Description)
		}
		if p.Schema.Default != nil && row.byDefault != fmt.Sprint(p.Schema.Default) {
			t.Errorf("%s says that the default of %s is %q, the schema %q", page, p.Name, row.byDefault, p.Schema.Default)
		}
	}
	for name := range rows {
		if !slices.ContainsFunc(properties, func(p schema.Property) bool { return p.Name == name }) {
			t.Errorf("%s describes %s, which the schema doesn't have", page, name)
		}
	}
}

type row struct{ words, byDefault string }

var (
	fieldRow = regexp.MustCompile("(?m)^\\| (`[a-z][A-Za-z_.-]*`(?:, `[a-z][A-Za-z_.-]*`)*) \\|(.*)\\|$")
	link     = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)
)

// rows reads the rows of the first table whose first column is "field".
func rows(page string) map[string]row {
	_, page, _ = strings.Cut(page, "| field |")
	page, _, _ = strings.Cut(page, "\n\n")
	plain := func(s string) string {
		return strings.TrimSpace(strings.ReplaceAll(link.ReplaceAllString(s, "$1"), "`", ""))
	}
	out := map[string]row{}
	for _, m := range fieldRow.FindAllStringSubmatch(page, -1) {
		cells := strings.Split(m[2], " | ")
		words, defaults := plain(cells[len(cells)-1]), plain(cells[len(cells)-2])
		names := strings.Split(plain(m[1]), ", ")
		each := strings.Split(defaults, ", ")
		for i, name := range names {
			out[name] = row{words, defaults}
			if len(each) == len(names) {
				out[name] = row{words, each[i]}
			}
		}
	}
	return out
}

// Example is a YAML or JSON text of the repository.
type Example struct {
	Name string
	Text []byte
	Node *yaml.Node
}

var fence = regexp.MustCompile("(?ms)^ *```(?:yaml|json)\n(.*?)^ *```")

// Examples are all that are YAML at all: of the documentation, the example
// services and the end-to-end cases. root is the repository's folder.
func Examples(t *testing.T, root string) []Example {
	t.Helper()
	var list []Example
	add := func(name string, text []byte) {
		e := Example{Name: name, Text: text, Node: new(yaml.Node)}
		if yaml.Unmarshal(text, e.Node) == nil && e.Node.Kind == yaml.DocumentNode {
			e.Node = e.Node.Content[0]
			list = append(list, e)
		}
	}
	tree := os.DirFS(root)
	err := fs.WalkDir(tree, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if path != "." && strings.HasPrefix(entry.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		switch filepath.Ext(path) {
		case ".yaml", ".yml", ".md", ".txtar":
		default:
			return nil
		}
		content, err := fs.ReadFile(tree, path)
		if err != nil {
			return err
		}
		switch filepath.Ext(path) {
		case ".md":
			for i, m := range fence.FindAllSubmatch(content, -1) {
				add(fmt.Sprintf("%s, example %d", path, i+1), m[1])
			}
		case ".txtar":
			for _, f := range txtar.Parse(content).Files {
				if slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(f.Name)) {
					add(path+" "+f.Name, f.Data)
				}
			}
		default:
			add(path, content)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Value is a node as a validator takes it: what JSON has, and no more.
func Value(n *yaml.Node) (any, error) {
	var v any
	if err := n.Decode(&v); err != nil {
		return nil, err
	}
	return plain(v), nil
}

func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
		return v
	case map[any]any:
		out := map[string]any{}
		for k := range v {
			out[fmt.Sprint(k)] = plain(v[k])
		}
		return out
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
		return v
	}
	return v
}
