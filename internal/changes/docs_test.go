package changes

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// Every rule has a section that says what happens and the way around.
func TestRulesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/reference/deploys.md")
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "hazards.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	rules := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Rule") {
			return true
		}
		rule, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		rules++
		_, section, ok := strings.Cut(string(text), "\n## "+rule+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		if !ok || !strings.Contains(section, "ay around") {
			t.Errorf("%s has no section, or no way around, in deploys.md", rule)
		}
		return true
	})
	if rules < 10 {
		t.Errorf("only %d rules were found", rules)
	}
}
