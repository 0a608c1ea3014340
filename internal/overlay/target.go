package overlay

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/speakeasy-api/jsonpath/pkg/jsonpath"
	"github.com/speakeasy-api/jsonpath/pkg/jsonpath/token"
	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// target is a JSONPath (RFC 9535) and where it is written.
type target struct {
	field string // target or copy
	node  *doctree.Node
	path  *jsonpath.JSONPath
}

// find returns what the target selects, each place once. Nothing is a mistake: an
// overlay that silently does nothing leaves an operation unprotected.
func (t *tree) find(at *target) []*yaml.Node {
	found, err := query(at.path, t.root)
	if err != nil {
		t.diags.Addf(at.node.Pos(), at.node.Len(), RuleTarget, "%s: %s", at.field, err)
		return nil
	}
	if len(found) == 0 {
		t.diags.Addf(at.node.Pos(), at.node.Len(), RuleNoMatch, "%s selects nothing%s", at.field, t.missing(at.node.Value))
	}
	seen := make(map[*yaml.Node]bool, len(found))
	once := found[:0]
	for _, v := range found {
		if !seen[v] {
			seen[v] = true
			once = append(once, v)
		}
	}
	return once
}

// query keeps a panic of the library from being ours.
func query(path *jsonpath.JSONPath, root *yaml.Node) (found []*yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			found, err = nil, fmt.Errorf("the JSONPath can't be evaluated: %v", r)
		}
	}()
	return path.Query(root), nil
}

// maxTarget bounds the length of a JSONPath, for its parser and for missing.
const maxTarget = 1000

func parsePath(text string) (path *jsonpath.JSONPath, err error) {
	defer func() {
		if r := recover(); r != nil {
			path, err = nil, fmt.Errorf("%v", r)
		}
	}()
	if len(text) > maxTarget {
		return nil, fmt.Errorf("longer than %d characters", maxTarget)
	}
	descents, filters := 0, 0
	for _, t := range token.NewTokenizer(text).Tokenize() {
		switch t.Token {
		case token.RECURSIVE:
			descents++
		case token.FILTER:
			filters = 1
		default:
		}
	}
	if descents+filters > 2 {
		return nil, fmt.Errorf("too many \"..\", which takes very long on a large document; write \"..\" at most twice, and once beside a filter")
	}
	return jsonpath.NewPath(text)
}

var libraryError = regexp.MustCompile(`(?s)^(?:could not parse query: )?Error at line 1, column (\d+): ([^\n\[]*)`)

// pathProblem is the library's error in one line.
func pathProblem(text string, err error) string {
	m := libraryError.FindStringSubmatch(err.Error())
	if m == nil {
		line, _, _ := strings.Cut(err.Error(), "\n")
		return line
	}
	at, _ := strconv.Atoi(m[1])
	if at >= len(text) {
		return "it ends too early"
	}
	hint := ""
	if strings.IndexByte("/-{", text[at]) >= 0 {
		hint = "; write names with other characters than letters, digits and _ as in $.paths['/pets']"
	}
	return fmt.Sprintf("%s at %q%s", strings.TrimSpace(m[2]), text[at:], hint)
}

// missing says up to where a path leads, and what is there instead of what it names.
func (t *tree) missing(text string) string {
	for end := len(text) - 1; end > 0; end-- {
		if text[end] != '.' && text[end] != '[' {
			continue
		}
		path, err := parsePath(text[:end])
		if err != nil {
			continue
		}
		found, err := query(path, t.root)
		if err != nil || len(found) == 0 {
			continue
		}
		name, ok := firstName(text[end:])
		if !ok {
			return fmt.Sprintf(": %q is there, %q is not", text[:end], text[end:])
		}
		var names []string
		for _, v := range found {
			for i := 0; v.Kind == yaml.MappingNode && i < len(v.Content); i += 2 {
				names = append(names, v.Content[i].Value)
			}
		}
		return fmt.Sprintf(": %q has no %q%s", text[:end], name, diag.DidYouMean(name, names))
	}
	return ""
}

// firstName is the name that a path goes on with, if it is a plain one.
func firstName(rest string) (string, bool) {
	tokens := token.NewTokenizer("$" + rest).Tokenize()
	switch {
	case len(tokens) > 2 && tokens[1].Token == token.CHILD && tokens[2].Token == token.STRING:
		return tokens[2].Literal, true
	case len(tokens) > 3 && tokens[1].Token == token.BRACKET_LEFT && tokens[2].Token == token.STRING_LITERAL && tokens[3].Token == token.BRACKET_RIGHT:
		return tokens[2].Literal, true
	}
	return "", false
}
