package generate

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/gopkg"
	"github.com/idemgen/idemgen/internal/oapi"
	"github.com/idemgen/idemgen/internal/spec"
)

const ruleGo = "openapi/go"

// blame finds what of a document is behind Go that doesn't compile. Of each place
// it reports the first problem: the others are mostly its consequences.
type blame struct {
	doc        *spec.Document
	operations map[string][]*spec.Operation // by their Go names
	components map[string]oapi.Component
	diags      *diag.Set
	reported   map[diag.Pos]bool

	onlyParameters bool
}

func newBlame(doc *spec.Document, api *oapi.API) *blame {
	b := &blame{
		doc: doc, operations: map[string][]*spec.Operation{}, components: map[string]oapi.Component{},
		diags: &diag.Set{}, reported: map[diag.Pos]bool{},
	}
	if api == nil {
		return b
	}
	b.components = api.Components
	for i := range api.Operations {
		def := &api.Operations[i]
		for _, op := range doc.Operations {
			if op.Method == def.Method && op.Path == def.Path {
				b.operations[def.GoName] = append(b.operations[def.GoName], op)
			}
		}
	}
	return b
}

// cause tells the problems that others follow from.
var cause = regexp.MustCompile(`redeclared|already declared|^invalid receiver |^duplicate |^invalid recursive type|^undefined: `)

// all reports the problems, causes first. If there are any, of the others only those
// count that are about the variable of a path parameter, which may hide other names.
func (b *blame) all(problems []gopkg.Problem) {
	for _, isCause := range []bool{true, false} {
		for _, p := range problems {
			if cause.MatchString(p.Message) == isCause {
				b.onlyParameters = b.onlyParameters || isCause
				b.report(p)
			}
		}
	}
}

func (b *blame) report(p gopkg.Problem) {
	// What our file declares for an operation: contractX, xAnswer.
	name := strings.TrimPrefix(strings.TrimPrefix(p.Declaration, "Visit"), "contract")
	first, size := utf8.DecodeRuneInString(name)
	name = string(unicode.ToUpper(first)) + name[size:]
	component, length := b.component(p.Declaration)
	if component == nil {
		component, length = b.component(p.Receiver)
	}
	operation := b.operation(p, name, length)
	switch {
	case component != nil && operation == nil:
		b.inComponent(p, *component)
	case operation != nil:
		b.inOperation(p, operation)
	default:
		b.add(diag.Pos{File: b.doc.File}, 0, p, "change what it is made of, with an overlay or with an option under oapi")
	}
}

// component finds the one whose type, or a type inside of it, a declaration is, and
// how long its name is.
func (b *blame) component(declaration string) (*oapi.Component, int) {
	var found *oapi.Component
	length := 0
	for goName, c := range b.components {
		if len(goName) > length && startsName(declaration, goName) {
			found, length = &c, len(goName)
		}
	}
	return found, length
}

// operation finds that whose name the declaration, or a name beside it, starts
// with, unless a component has the longer name.
func (b *blame) operation(p gopkg.Problem, name string, atLeast int) []*spec.Operation {
	for _, candidate := range append([]string{name}, p.Names...) {
		var found []*spec.Operation
		for goName, ops := range b.operations {
			if len(goName) > atLeast && startsName(candidate, goName) {
				found, atLeast = ops, len(goName)
			}
		}
		if found != nil {
			return found
		}
		if atLeast > 0 {
			return nil
		}
	}
	return nil
}

// startsName tells whether name starts with the word or words of prefix.
func startsName(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	first, _ := utf8.DecodeRuneInString(rest)
	return ok && (rest == "" || !unicode.IsLower(first))
}

func (b *blame) inOperation(p gopkg.Problem, ops []*spec.Operation) {
	op := ops[len(ops)-1]
	if len(ops) > 1 {
		pos, length := op.IDPos, op.IDLen
		if pos.Line == 0 {
			pos, length = op.Pos, op.Len
		}
		b.add(pos, length, p, "it has the same name in Go as %s %s (%s); give one of them another operationId", ops[0].Method, ops[0].Path, ops[0].Pos)
		return
	}
	for _, param := range b.doc.Parameters(op) {
		if slices.ContainsFunc(p.Names, func(name string) bool { return sameGoName(name, param) }) {
			b.write(param.Pos, param.Len, p, "give the parameter another Go name with x-go-name")
			return
		}
	}
	pos, length := op.Pos, op.Len
	if op.IDPos.Line > 0 {
		pos, length = op.IDPos, op.IDLen
	}
	b.add(pos, length, p, "%s", advise(p, "rename the operation, or what its types are made of"))
}

// sameGoName tells whether a name of Go may be a parameter's: that of its tag, or
// the variable of a path parameter.
func sameGoName(name string, param spec.Parameter) bool {
	return name == param.Name || param.In == "path" && strings.EqualFold(name, letters(param.Name))
}

func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, name)
}

func (b *blame) inComponent(p gopkg.Problem, c oapi.Component) {
	for _, name := range p.Names {
		if pos, length, ok := b.doc.Find("components", c.Section, c.Name, "properties", name); ok && c.Section == "schemas" {
			b.add(pos, length, p, "%s", advise(p, "give the property another Go name with x-go-name"))
			return
		}
	}
	pos, length, _ := b.doc.Find("components", c.Section, c.Name)
	b.add(pos, length, p, "%s", advise(p, "give it another Go name with x-go-name"))
}

// advise is the way out of a problem, or the other one.
func advise(p gopkg.Problem, other string) string {
	switch {
	case strings.Contains(p.Message, "invalid recursive type"):
		return "no value of it could end: make a property of the cycle optional or nullable"
	case strings.HasPrefix(p.Message, "undefined: "):
		return "a type of x-go-type comes from the package in x-go-type-import, or is declared beside the generated files"
	}
	return other
}

func (b *blame) add(pos diag.Pos, length int, p gopkg.Problem, format string, args ...any) {
	if !b.onlyParameters || cause.MatchString(p.Message) {
		b.write(pos, length, p, format, args...)
	}
}

func (b *blame) write(pos diag.Pos, length int, p gopkg.Problem, format string, args ...any) {
	if b.reported[pos] {
		return
	}
	b.reported[pos] = true
	what := p.Message
	if p.Declaration != "" && !strings.Contains(what, p.Declaration) {
		what += " in " + p.Declaration
	}
	b.diags.Addf(pos, length, ruleGo, "the Go made of this doesn't compile: %s; "+format, append([]any{what}, args...)...)
}

// blameSyntax reports code that isn't Go. Its names are found by the text above.
func blameSyntax(doc *spec.Document, e *oapi.SyntaxError) *diag.Set {
	b := newBlame(doc, nil)
	lines := strings.Split(string(e.Code), "\n")
	line := ""
	if e.Line > 0 && e.Line <= len(lines) {
		line = lines[e.Line-1]
	}
	p := gopkg.Problem{Message: e.Err.Error()}
	for _, op := range doc.Operations {
		for _, param := range doc.Parameters(op) {
			if len(param.Name) > 1 && strings.Contains(line, param.Name) {
				b.add(param.Pos, param.Len, p, "give the parameter another name")
				return b.diags
			}
		}
	}
	b.add(diag.Pos{File: doc.File}, 0, p, "the line is %.200q; change what it is made of, with an overlay", strings.TrimSpace(line))
	return b.diags
}
