package scaffold

import (
	"encoding/json"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"golang.org/x/mod/modfile"
)

func TestNames(t *testing.T) {
	for path, want := range map[string]names{
		"example.com/shop":                          {Service: "shop", Package: "shop", Database: "shop"},
		"example.com/acme/shop/v2":                  {Service: "shop", Package: "shop", Database: "shop"},
		"example.com/My_Shop.go":                    {Service: "my-shop-go", Package: "myshopgo", Database: "my_shop_go"},
		"example.com/42":                            {Service: "42", Package: "service42", Database: "42"},
		"example.com/type":                          {Service: "type", Package: "servicetype", Database: "type"},
		"example.com/internal":                      {Service: "internal-service", Package: "internalservice", Database: "internal_service"},
		"example.com/testdata":                      {Service: "testdata-service", Package: "testdataservice", Database: "testdata_service"},
		"example.com/a~b":                           {Service: "a-b", Package: "ab", Database: "a_b"},
		"gopkg.in/shop.v3":                          {Service: "shop", Package: "shop", Database: "shop"},
		"example.com/" + strings.Repeat("long", 20): {Service: strings.Repeat("long", 20)[:50], Package: strings.Repeat("long", 20)[:50], Database: strings.Repeat("long", 20)[:50]},
	} {
		want.Module = path
		got, err := newNames(path)
		if err != nil || got != want {
			t.Errorf("%s: %+v %v, want %+v", path, got, err, want)
		}
		if !token.IsIdentifier(got.Package) {
			t.Errorf("%s: the package %s is no identifier", path, got.Package)
		}
	}
	for _, path := range []string{"", "shop", "/shop", "example.com/", "example.com/../shop", "example.com/a b", "example.com/shop/v1", "example.com/\x1b"} {
		if got, err := newNames(path); err == nil {
			t.Errorf("%q was taken: %+v", path, got)
		}
	}
}

// Files of these resources are built on every system, and aren't tests.
func TestResourcesAreFiles(t *testing.T) {
	for path, want := range map[string]string{
		"/pets/{id}":         "pets",
		"/api/v2/big_linux":  "big-linux",
		"/v1.3/users_test":   "users-test",
		"/{tenant}/things":   "things",
		"/../../etc/passwd":  "etc",
		"/service":           "service-resource",
		"/idempotency":       "idempotency-resource",
		"/{a}":               "root",
		"/":                  "root",
		"/" + "\x00é/x":      "x",
		"/__init__/{a}/b.go": "init",
	} {
		if got := resource(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}

// What the schemas of this document allow is what the examples are.
func TestExamplesFit(t *testing.T) {
	const doc = `{"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": {}, "components": {"schemas": {
		"own":        {"type": "string", "example": "mine"},
		"wrong":      {"type": "integer", "example": "not a number", "minimum": 5},
		"date":       {"type": "string", "format": "date", "example": "tomorrow"},
		"uuid":       {"type": "string", "format": "uuid"},
		"short":      {"type": "string", "maxLength": 3},
		"long":       {"type": "string", "minLength": 40},
		"enum":       {"type": "string", "enum": ["b", "a"]},
		"const":      {"const": "only"},
		"exclusive":  {"type": "integer", "exclusiveMinimum": 7, "multipleOf": 5},
		"below":      {"type": "number", "exclusiveMaximum": -1},
		"list":       {"type": "array", "minItems": 2, "items": {"type": "boolean"}},
		"nullable":   {"type": ["string", "null"]},
		"merged":     {"allOf": [{"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}, {"type": "object", "properties": {"b": {"type": "string"}}}]},
		"either":     {"oneOf": [{"type": "integer"}, {"type": "boolean"}]},
		"recursive":  {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "child": {"$ref": "#/components/schemas/recursive"}}},
		"free":       {"type": "object", "additionalProperties": {"type": "string"}}
	}}}`
	document, err := openapi3.NewLoader().LoadFromData([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	for name, schema := range document.Components.Schemas {
		text, err := json.Marshal(example(schema))
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		if err := schema.Value.VisitJSON(value); err != nil {
			t.Errorf("%s: %s: %v", name, text, err)
		}
	}
}

// The versions of a new service are those that idemgen is tested with.
func TestLibrariesAreOurs(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := modfile.Parse("go.mod", content, nil)
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string]string{}
	for _, r := range f.Require {
		ours[r.Mod.Path] = r.Mod.Version
	}
	for _, r := range libraries {
		if ours[r.Path] != r.Version {
			t.Errorf("%s is %s in new services, and %q here", r.Path, r.Version, ours[r.Path])
		}
	}
	if f.Go.Version != goVersion {
		t.Errorf("new services need Go %s, we %s", goVersion, f.Go.Version)
	}
}

func TestStageLeavesNothingBehind(t *testing.T) {
	root := t.TempDir()
	target := filepath.Join(root, "a", "b", "service")
	s, err := newStage(target)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.write(map[string][]byte{"x/y.txt": nil}); err != nil {
		t.Fatal(err)
	}
	if err := s.write(map[string][]byte{"../y.txt": nil}); err == nil {
		t.Error("a file outside was written")
	}
	s.discard()
	if left, err := os.ReadDir(root); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	// A folder that is there and empty is filled, and keeps what it is.
	if err := os.MkdirAll(target, 0o700); err != nil {
		t.Fatal(err)
	}
	if s, err = newStage(target); err != nil {
		t.Fatal(err)
	}
	if err := s.write(map[string][]byte{"x/y.txt": nil, "z": nil}); err != nil {
		t.Fatal(err)
	}
	if err := s.move(); err != nil {
		t.Fatal(err)
	}
	s.discard()
	entries, err := os.ReadDir(target)
	if err != nil || len(entries) != 2 {
		t.Errorf("%v %v, want x and z", entries, err)
	}
	if _, err := newStage(target); err == nil || !strings.Contains(err.Error(), "isn't empty") {
		t.Errorf("a full folder was taken: %v", err)
	}
}

func TestMarksQuotePaths(t *testing.T) {
	for path, want := range map[string]string{
		"/pets":         `'/pets'`,
		`/it's\a/{b}`:   `'/it\'s\\a/{b}'`,
		"/\n\x7f\u2028": `'/\u000a\u007f\u2028'`,
	} {
		if got := jsonPathString(path); got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
}
