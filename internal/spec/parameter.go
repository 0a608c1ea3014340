package spec

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// keyParameter uses the declaration of the key's header, if there is one: its
// spelling, and the limits of its schema.
func (w *walker) keyParameter(o *Operation, params []parameter) {
	k := &o.Idempotent.Key
	if k.Pointers != nil {
		return
	}
	var declared []parameter
	for _, p := range params {
		if p.in == "header" && strings.EqualFold(p.name, k.Header) {
			declared = append(declared, p)
		}
	}
	if len(declared) == 0 {
		return
	}
	for _, p := range declared[1:] {
		w.diags.Addf(p.place.Pos(), p.place.Len(), RuleParameter, "%q is declared for %s %q as %q too, at %s; header names ignore case, so remove one",
			p.name, o.Method, o.Path, declared[0].name, declared[0].place.Pos())
	}
	k.Header = declared[0].name
	required := declared[0].node.Get("required")
	if e, ok := o.Idempotent.written["key.required"]; ok && !k.Required && required != nil && required.True() {
		w.diags.Addf(e.Value.Pos(), e.Value.Len(), RuleParameter,
			"key.required: false, but the declaration of %q has required: true at %s, so a request without it would be answered with 400; make both say the same", k.Header, required.Pos())
	}
	n := narrowing{w: w, o: o, key: k}
	n.schema(declared[0].node.Get("schema"))
}

// narrowing adds the limits of a schema to those of a key.
type narrowing struct {
	w   *walker
	o   *Operation
	key *Key
}

// schema reads what holds for every value of the schema. Limits that only some
// alternatives have are left to oapi-codegen and to the handler.
func (n *narrowing) schema(root *doctree.Node) {
	if n.key.possible() != "" {
		return // reported already
	}
	cases, ok := n.w.cases([]*doctree.Node{root})
	if !ok || len(cases) != 1 {
		return
	}
	for _, s := range cases[0] {
		for _, limit := range []struct {
			name string
			add  func(*doctree.Node)
		}{{"minLength", n.minLength}, {"maxLength", n.maxLength}, {"format", n.format}, {"pattern", n.pattern}} {
			v := s.Get(limit.name)
			if v == nil {
				continue
			}
			limit.add(v)
			if problem := n.key.possible(); problem != "" {
				n.report(v, "the declared %s contradicts the key's other limits: %s", limit.name, problem)
				return
			}
		}
	}
}

func (n *narrowing) report(v *doctree.Node, format string, args ...any) {
	n.w.diags.Add(diag.Diagnostic{Pos: v.Pos(), Len: v.Len(), Rule: RuleParameter,
		Message: fmt.Sprintf("%s of %s %q: ", n.key.Header, n.o.Method, n.o.Path) + fmt.Sprintf(format, args...)})
}

// count reads a length as kin-openapi will; what isn't one is for it to report.
func count(v *doctree.Node) (int, bool) {
	n, err := strconv.Atoi(v.JSON())
	return n, v.Kind == doctree.Int && err == nil && n >= 0
}

func (n *narrowing) minLength(v *doctree.Node) {
	if c, ok := count(v); ok {
		n.key.MinLength = max(n.key.MinLength, c)
	}
}

func (n *narrowing) maxLength(v *doctree.Node) {
	c, ok := count(v)
	if !ok || c >= maxKey {
		return
	}
	if c == 0 {
		n.report(v, "maxLength 0 leaves no key")
		return
	}
	if n.key.MaxLength == 0 || c < n.key.MaxLength {
		n.key.MaxLength = c
	}
}

func (n *narrowing) format(v *doctree.Node) {
	switch {
	case v.Value != "uuid":
	case n.key.Format == "ulid":
		n.report(v, "it is declared as a uuid, and key.format is ulid; make both say the same")
	default:
		n.key.Format = "uuid"
	}
}

// pattern takes the declared pattern. Which of two is narrower can't be told, and
// one that Go doesn't know can only be said again, in x-idempotent.
func (n *narrowing) pattern(v *doctree.Node) {
	if v.Kind != doctree.String || v.Value == "" {
		return
	}
	_, err := regexp.Compile(v.Value)
	switch {
	case err != nil && n.key.Pattern == "":
		n.report(v, "the declared pattern is not one that Go knows (RE2): %s; write one that it knows as key.pattern", syntaxError(err))
	case err != nil:
	case n.key.Pattern == "":
		n.key.Pattern = v.Value
	case n.key.Pattern != v.Value:
		n.report(v, "the declared pattern is not the key's other pattern, %q, and which is narrower can't be told; keep one of them", n.key.Pattern)
	}
}
