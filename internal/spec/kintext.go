package spec

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// kin-openapi's loader has no typed errors: what follows reads their text.

var (
	inQuotes  = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
	unmarshal = regexp.MustCompile(`json: cannot unmarshal (\w+).*? into (?:Go struct )?field ([\w.$-]+) of type ([][\w.*]+)`)
	yamlParts = regexp.MustCompile(`^failed to unmarshal data: json error: .*?, yaml error: `)
)

// textPos finds a $ref that the text quotes, or the field that it says doesn't decode.
func (w *walker) textPos(text string) (diag.Pos, int, bool) {
	for _, m := range inQuotes.FindAllStringSubmatch(text, -1) {
		for _, ref := range w.refs[m[1]] {
			return ref.Pos(), ref.Len(), true
		}
	}
	if m := unmarshal.FindStringSubmatch(text); m != nil {
		if pos, length, ok := w.undecodable(m[1], m[2]); ok {
			return pos, length, true
		}
	}
	return w.namedPos(text)
}

// undecodable finds the first field whose value has the JSON type that doesn't
// decode, in an object of Go's name if there is one: Go's decoder tells neither line
// nor path from the root.
func (w *walker) undecodable(jsonType, path string) (diag.Pos, int, bool) {
	typeName, _, _ := strings.Cut(path, ".")
	name := path[strings.LastIndexByte(path, '.')+1:]
	var best *doctree.Entry
	bestMatches := false
	for v := range w.seen {
		e := v.node.Entry(name)
		if e == nil || culprit(e.Value, jsonType) == nil {
			continue
		}
		matches := strings.EqualFold(strings.ReplaceAll(v.object, " ", ""), typeName) || typeName == "T" && v.object == "document"
		if best == nil || matches && !bestMatches || matches == bestMatches && earlier(e.Key.Pos(), best.Key.Pos()) {
			best, bestMatches = e, matches
		}
	}
	if best == nil {
		return diag.Pos{}, 0, false
	}
	pos, length := place(best.Key, best.Value)
	if n := culprit(best.Value, jsonType); n != best.Value {
		pos, length = place(nil, n)
	}
	return pos, length, true
}

// culprit is the node of that JSON type: the value itself or one that it holds.
func culprit(n *doctree.Node, jsonType string) *doctree.Node {
	if isJSON(n.Kind, jsonType) {
		return n
	}
	for _, item := range n.Items {
		if isJSON(item.Kind, jsonType) {
			return item
		}
	}
	for _, e := range n.Entries {
		if isJSON(e.Value.Kind, jsonType) {
			return e.Value
		}
	}
	return nil
}

func isJSON(k doctree.Kind, name string) bool {
	switch name {
	case "string":
		return k == doctree.String
	case "number":
		return k == doctree.Int || k == doctree.Float
	case "bool":
		return k == doctree.Bool
	case "array":
		return k == doctree.Seq
	case "object":
		return k == doctree.Map
	}
	return false
}

func earlier(a, b diag.Pos) bool {
	if a.File != b.File {
		return a.File < b.File
	}
	return a.Line < b.Line || a.Line == b.Line && a.Col < b.Col
}

// namedPos finds the longest path, or the component, that the text names.
func (w *walker) namedPos(text string) (diag.Pos, int, bool) {
	var best *doctree.Node
	consider := func(n *doctree.Node, as string) {
		if strings.Contains(text, as) && (best == nil || len(n.Value) > len(best.Value)) {
			best = n
		}
	}
	for _, e := range entries(w.doc.root.Get("paths")) {
		if len(e.Key.Value) > 1 {
			consider(e.Key, e.Key.Value)
		}
	}
	for _, section := range entries(w.doc.root.Get("components")) {
		for _, e := range entries(section.Value) {
			consider(e.Key, fmt.Sprintf("%q", e.Key.Value))
		}
	}
	if best == nil {
		return diag.Pos{}, 0, false
	}
	return best.Pos(), best.Len(), true
}

func entries(n *doctree.Node) []doctree.Entry {
	if n == nil {
		return nil
	}
	return n.Entries
}

// tidy makes one harmless line of kin-openapi's text.
func tidy(s string) string {
	s = yamlParts.ReplaceAllString(strings.Join(strings.Fields(s), " "), "")
	s = strings.TrimPrefix(s, "error unmarshaling JSON: while decoding JSON: ")
	if m := unmarshal.FindStringSubmatch(s); m != nil {
		s = fmt.Sprintf("%s: %s%s", m[2][strings.LastIndexByte(m[2], '.')+1:], jsonTypes[m[1]], wanted(m[3]))
		if m[3] == "string" && (m[1] == "number" || m[1] == "bool") {
			s += "; quote it"
		}
	}
	if len(s) > 400 {
		s = s[:400] + "..."
	}
	return diag.Escape(s)
}

var jsonTypes = map[string]string{
	"string": "a string", "number": "a number", "bool": "a boolean", "array": "a list", "object": "a mapping",
}

// wanted says what OpenAPI has in a field of that Go type.
func wanted(goType string) string {
	switch {
	case goType == "string":
		return " where OpenAPI has text"
	case goType == "bool":
		return " where OpenAPI has true or false"
	case strings.Contains(goType, "int") || strings.HasPrefix(goType, "float"):
		return " where OpenAPI has a number"
	case strings.HasPrefix(goType, "[]"), goType == "openapi3.Parameters", goType == "openapi3.Servers",
		goType == "openapi3.Tags", goType == "openapi3.SecurityRequirements", goType == "openapi3.SchemaRefs":
		return " where OpenAPI has a list"
	case strings.HasPrefix(goType, "openapi3."), strings.HasPrefix(goType, "map["):
		return " where OpenAPI has a mapping"
	}
	return " does not belong there"
}
