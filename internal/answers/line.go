package answers

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// line is one line of a recorded schema: words that say what a value is. A word
// that comes from the document and could be read as another is in quotes.
type line struct {
	Types         []string // nil for any
	Formats       []string
	Enum          []string // as JSON; nil for any value
	Limits        map[string]string
	Patterns      []string
	Discriminator string
	Choices       []choice
	Refs          []string
	Nullable      bool // null, or all of the rest
	Closed        bool // no other properties
	Other         string
	Unrecorded    bool
	Required      bool
}

// choice says how many of the alternatives belong to a keyword.
type choice struct {
	Keyword string
	Count   int
}

func (l line) String() string {
	var words []string
	add := func(list ...string) { words = append(words, list...) }
	switch {
	case l.Types == nil && len(l.Refs)+len(l.Choices) == 0 && !l.Unrecorded:
		add("any")
	case l.Types != nil && len(l.Types) == 0:
		add("never")
	case l.Types != nil:
		add(strings.Join(l.Types, "|"))
	}
	if l.Nullable {
		add("nullable")
	}
	for _, f := range l.Formats {
		add("format", word(f))
	}
	if l.Enum != nil {
		values := make([]string, len(l.Enum))
		for i, v := range l.Enum {
			values[i] = enumWord(v)
		}
		add("enum", strings.Join(values, "|"))
	}
	for _, b := range bounds {
		if v, ok := l.Limits[b.keyword]; ok {
			add(b.keyword, v)
		}
	}
	for _, p := range l.Patterns {
		add("pattern", strconv.Quote(p))
	}
	for _, c := range l.Choices {
		add(c.Keyword, strconv.Itoa(c.Count))
	}
	if l.Discriminator != "" {
		add("discriminator", word(l.Discriminator))
	}
	for _, r := range l.Refs {
		add("ref", word(r))
	}
	if l.Closed {
		add("closed")
	}
	if l.Other != "" {
		add("other", l.Other)
	}
	if l.Unrecorded {
		add("unrecorded")
	}
	if l.Required {
		add("required")
	}
	return strings.Join(words, " ")
}

var plain = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

func word(s string) string {
	if plain.MatchString(s) {
		return s
	}
	return strconv.Quote(s)
}

// enumWord leaves out the quotes of a string that nothing else looks like.
func enumWord(json string) string {
	s, err := strconv.Unquote(json)
	if err != nil {
		return json
	}
	if plain.MatchString(s) && s != "true" && s != "false" && s != "null" {
		return s
	}
	return strconv.Quote(s)
}

// parseLine reads a line. What it doesn't know is an error: the lock is of
// another idemgen, or was edited by hand.
func parseLine(text string) (line, error) {
	var l line
	words := split(text, ' ')
	if len(words) > 0 && isTypes(words[0]) {
		switch words[0] {
		case "any":
		case "never":
			l.Types = []string{}
		default:
			l.Types = strings.Split(words[0], "|")
		}
		words = words[1:]
	}
	for len(words) > 0 {
		rest, err := l.word(words[0], words[1:])
		if err != nil {
			return l, err
		}
		words = rest
	}
	return l, nil
}

func isTypes(word string) bool {
	for t := range strings.SplitSeq(word, "|") {
		if !slices.Contains([]string{"any", "never", "array", "boolean", "integer", "null", "number", "object", "string"}, t) {
			return false
		}
	}
	return true
}

// word reads a keyword and the value that belongs to it.
func (l *line) word(keyword string, rest []string) ([]string, error) {
	switch keyword {
	case "nullable":
		l.Nullable = true
		return rest, nil
	case "closed":
		l.Closed = true
		return rest, nil
	case "unrecorded":
		l.Unrecorded = true
		return rest, nil
	case "required":
		l.Required = true
		return rest, nil
	}
	if len(rest) == 0 {
		return nil, fmt.Errorf("%q is not a word of a schema", keyword)
	}
	value := unquote(rest[0])
	switch keyword {
	case "format":
		l.Formats = append(l.Formats, value)
	case "enum":
		l.Enum = []string{}
		for _, v := range split(rest[0], '|') {
			l.Enum = append(l.Enum, enumWordJSON(v))
		}
	case "pattern":
		l.Patterns = append(l.Patterns, value)
	case "anyOf", "oneOf":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > maxLines {
			return nil, fmt.Errorf("%q is not a number of alternatives", value)
		}
		l.Choices = append(l.Choices, choice{keyword, n})
	case "discriminator":
		l.Discriminator = value
	case "ref":
		l.Refs = append(l.Refs, value)
	case "other":
		l.Other = value
	default:
		if !slices.ContainsFunc(bounds, func(b bound) bool { return b.keyword == keyword }) {
			return nil, fmt.Errorf("%q is not a word of a schema", keyword)
		}
		if l.Limits == nil {
			l.Limits = map[string]string{}
		}
		l.Limits[keyword] = value
	}
	return rest[1:], nil
}

func unquote(word string) string {
	if s, err := strconv.Unquote(word); err == nil {
		return s
	}
	return word
}

// enumWordJSON is the JSON of a value that enumWord wrote.
func enumWordJSON(word string) string {
	switch {
	case word == "true" || word == "false" || word == "null":
		return word
	case plain.MatchString(word):
		return strconv.Quote(word)
	}
	return word
}

// split cuts at a separator outside of quotes.
func split(text string, separator byte) []string {
	var words []string
	start, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		case text[i] == separator && !quoted:
			words = append(words, text[start:i])
			start = i + 1
		}
	}
	if start < len(text) {
		words = append(words, text[start:])
	}
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}
