package answers

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/diag/doctree"
	"github.com/idemgen/idemgen/internal/lock"
	"github.com/idemgen/idemgen/internal/spec"
)

// Steps of a pointer that aren't the name of a property. A name that begins
// like one of them gets a ~ in front.
const (
	itemStep  = "[]"
	otherStep = "{}"
)

// flatten writes a schema as lines by pointer, "" being the whole value, and
// returns the $refs that it met. A schema that isn't there has no lines.
func flatten(s *spec.Schema) (lock.Schema, []spec.SchemaRef) {
	f := &flattener{lines: lock.Schema{}}
	if s != nil {
		f.value("", s, false)
	}
	if len(f.lines) > maxLines {
		return lock.Schema{"": line{Unrecorded: true}.String()}, nil
	}
	return f.lines, f.refs
}

type flattener struct {
	lines lock.Schema
	refs  []spec.SchemaRef
}

func (f *flattener) value(at string, s *spec.Schema, required bool) {
	if len(f.lines) > maxLines {
		return
	}
	l := line{Types: s.Types(), Required: required, Limits: limitsOf(s), Other: other(s)}
	for _, v := range s.Values("format") {
		l.Formats = appendNew(l.Formats, v.Value)
	}
	for _, v := range s.Values("pattern") {
		l.Patterns = appendNew(l.Patterns, v.Value)
	}
	if l.Enum = enum(s); l.Enum != nil && len(l.Enum) == 0 {
		l.Enum, l.Types = nil, []string{} // no value has them all
	}
	for _, v := range s.Values("discriminator") {
		if name := v.Get("propertyName"); name != nil {
			l.Discriminator = name.Value
		}
	}
	for _, ref := range s.Refs() {
		l.Refs = append(l.Refs, ref.Name)
		f.refs = append(f.refs, ref)
	}
	additional, closed := s.Additional()
	l.Closed = closed
	choices := s.Choices()
	l.Nullable = s.Nullable() && len(l.Refs)+len(choices) > 0

	f.lines[at] = "" // keeps its place in the count
	n := 0
	for _, c := range choices {
		l.Choices = append(l.Choices, choice{c.Keyword, len(c.Schemas)})
		for _, alternative := range c.Schemas {
			f.value(fmt.Sprintf("%s/(%d)", at, n), alternative, false)
			n++
		}
	}
	for _, m := range s.Members() {
		place := at + "/" + escape(m.Name)
		switch {
		case m.Schema != nil:
			f.value(place, m.Schema, m.Required)
		case closed:
			f.lines[place] = line{Types: []string{}, Required: true}.String()
		case additional != nil:
			f.value(place, additional, true)
		default:
			f.lines[place] = line{Required: true}.String()
		}
	}
	if items := s.Items(); items != nil {
		f.value(at+"/"+itemStep, items, false)
	}
	if additional != nil && !closed {
		f.value(at+"/"+otherStep, additional, false)
	}
	f.lines[at] = l.String()
}

func escape(name string) string {
	name = strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
	if name != "" && strings.ContainsRune("[{(", rune(name[0])) {
		name = "~" + name
	}
	return name
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// enum lists the values that all enums and consts have, sorted; nil for any.
func enum(s *spec.Schema) []string {
	var lists [][]*doctree.Node
	for _, v := range s.Values("enum") {
		lists = append(lists, v.Items)
	}
	for _, v := range s.Values("const") {
		lists = append(lists, []*doctree.Node{v})
	}
	var common []string
	for i, list := range lists {
		values := make([]string, 0, len(list))
		for _, v := range list {
			values = append(values, compact(v))
		}
		if i > 0 {
			values = slices.DeleteFunc(values, func(v string) bool { return !slices.Contains(common, v) })
		}
		slices.Sort(values)
		common = slices.Compact(values)
	}
	return common
}

// compact is the JSON of a scalar, or a hash of what isn't one.
func compact(n *doctree.Node) string {
	if n.Kind == doctree.Seq || n.Kind == doctree.Map {
		return strconv.Quote(hash(spec.Text(n)))
	}
	return spec.Text(n)
}

// uncompared are keywords whose content is only recorded as a hash.
var uncompared = []string{
	"not", "if", "then", "else", "dependentSchemas", "dependentRequired", "patternProperties", "propertyNames",
	"contains", "minContains", "maxContains", "prefixItems", "unevaluatedItems", "unevaluatedProperties",
	"$dynamicRef", "$recursiveRef",
}

func other(s *spec.Schema) string {
	var text strings.Builder
	for _, keyword := range uncompared {
		for _, v := range s.Values(keyword) {
			fmt.Fprintf(&text, "%s %s\n", keyword, spec.Text(v))
		}
	}
	if text.Len() == 0 {
		return ""
	}
	return hash(text.String())
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

// bound is a keyword that limits values: lower ones from below. The others can
// only be compared for equality.
type bound struct {
	keyword      string
	lower, upper bool
}

var bounds = []bound{
	{keyword: "minimum", lower: true}, {keyword: "maximum", upper: true},
	{keyword: "exclusiveMinimum", lower: true}, {keyword: "exclusiveMaximum", upper: true},
	{keyword: "minLength", lower: true}, {keyword: "maxLength", upper: true},
	{keyword: "minItems", lower: true}, {keyword: "maxItems", upper: true},
	{keyword: "minProperties", lower: true}, {keyword: "maxProperties", upper: true},
	{keyword: "multipleOf"}, {keyword: "uniqueItems"},
}

// limitsOf are the narrowest, by keyword. OpenAPI 3.0 writes an exclusive limit
// as a number beside true; here it is as in 3.1.
func limitsOf(s *spec.Schema) map[string]string {
	limits := map[string]string{}
	for _, b := range bounds {
		for _, v := range s.Values(b.keyword) {
			isLimit := v.Kind == doctree.Int || v.Kind == doctree.Float
			if b.keyword == "uniqueItems" {
				isLimit = v.Kind == doctree.Bool && v.True()
			}
			if !isLimit {
				continue
			}
			if old, ok := limits[b.keyword]; !ok || !b.implies(old, v.JSON()) {
				limits[b.keyword] = v.JSON()
			}
		}
	}
	for exclusive, keyword := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		isTrue := slices.ContainsFunc(s.Values(exclusive), func(n *doctree.Node) bool { return n.Kind == doctree.Bool && n.True() })
		if limit, ok := limits[keyword]; ok && isTrue {
			delete(limits, keyword)
			limits[exclusive] = limit
		}
	}
	return limits
}

// implies tells whether a value within the limit have is within the limit want.
func (b bound) implies(have, want string) bool {
	x, ok := new(big.Rat).SetString(have)
	y, ok2 := new(big.Rat).SetString(want)
	switch {
	case have == want:
		return true
	case !ok || !ok2:
		return false
	case b.lower:
		return x.Cmp(y) >= 0
	case b.upper:
		return x.Cmp(y) <= 0
	}
	return x.Cmp(y) == 0
}
