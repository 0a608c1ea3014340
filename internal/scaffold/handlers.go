package scaffold

import (
	"fmt"
	"go/types"
	"strings"
	"unicode"

	"github.com/idemgen/idemgen/internal/gopkg"
	"github.com/idemgen/idemgen/internal/tables"
	"github.com/idemgen/idemgen/internal/text"
)

// handler is one method of the service, as Go code in parts.
type handler struct {
	GoName, Path, Method      string
	Summary                   string // a whole line, or empty
	RequestType, ResponseType string
	Idempotent                bool

	// Kind is todo, create, get or list.
	Kind string
	// What says in an error what was done.
	What string
	// Body is the type of a body that may be left out.
	Body string
	// Locals are computed before the query, and may fail.
	Locals []local
	// Query is the call without the receiver, Convert the function that makes the
	// answer of a row, which may fail; Elem is the type that it returns.
	Query, Convert, Elem string
	ConvertFails         bool
	// Answer is the expression to return; with Assign it is the type of a response
	// to assign to.
	Answer, Assign string
	// JSONBody says that the request can have bodies of other types too.
	JSONBody bool
	// Notes say what the handler leaves out.
	Notes []string
}

// local is a variable that a function computes which may fail.
type local struct{ Name, Expr, Column string }

// rowConverter is a function that makes an answer of a row.
type rowConverter struct {
	Name, Row, Type string
	// Assigns says that the fields are assigned one by one, since their struct has
	// no name to write a literal with.
	Assigns bool
	Fields  []goField
	// JSON are the fields that are read from jsonb; fromJSON are their types by
	// column.
	JSON     []jsonField
	fromJSON map[string]types.Type
}

type goField struct{ Name, Value string }

type jsonField struct{ Call, Column string }

// author writes the handlers of one file.
type author struct {
	converter
	api, db    *gopkg.Package
	converters map[string]*rowConverter // of all files, by row and answer type
	made       []*rowConverter          // of this file
	reads      map[string]*plan         // the get of each table
	toJSON     map[string]types.Type    // of the handler at work: what goes into its jsonb columns
}

// handler writes the one of a plan; what can't be written with certainty becomes
// a todo, with the reason in the plan.
func (a *author) handler(p *plan) *handler {
	a.toJSON = map[string]types.Type{}
	h := &handler{
		GoName: p.GoName, Method: p.Method, Path: text.OneLine(p.Path), Summary: summary(p.Summary),
		RequestType: p.RequestType, ResponseType: p.ResponseType,
		Idempotent: p.Source.Idempotent != nil, What: words(p.GoName),
	}
	var why string
	switch p.kind {
	case create:
		h.Kind = "create"
		why = a.create(h, p)
	case get:
		h.Kind = "get"
		why = a.get(h, p)
	case list:
		h.Kind = "list"
		why = a.list(h, p)
	case todo:
	}
	if why != "" {
		p.kind, p.why = todo, why
	}
	p.notes = h.Notes
	if p.kind == todo {
		*h = handler{
			GoName: h.GoName, Method: h.Method, Path: h.Path, Summary: h.Summary,
			RequestType: h.RequestType, ResponseType: h.ResponseType, Idempotent: h.Idempotent,
			Kind: "todo",
		}
	}
	return h
}

func (a *author) create(h *handler, p *plan) (why string) {
	args, why := a.queryArgs(h, p)
	if why != "" {
		return why
	}
	h.Query = p.query + "(ctx" + args + ")"
	answer, why := a.answer(h, p, false)
	if why != "" {
		return why
	}
	h.Answer = answer
	return ""
}

func (a *author) get(h *handler, p *plan) (why string) { return a.create(h, p) }

func (a *author) list(h *handler, p *plan) (why string) {
	args, why := a.queryArgs(h, p)
	if why != "" {
		return why
	}
	h.Query = p.query + "(ctx" + args + ")"
	if len(p.QueryParams) > 0 {
		h.Notes = append(h.Notes, fmt.Sprintf("it doesn't heed %s", englishList(p.QueryParams)))
	}
	answer, why := a.answer(h, p, true)
	h.Answer = answer
	return why
}

// queryArgs writes the arguments of the query's method after the context. sqlc
// gives it one for each parameter, or a struct of them in the same order.
func (a *author) queryArgs(h *handler, p *plan) (code, why string) {
	method := a.method(p.query)
	if method == nil {
		return "", "sqlc made no method of its query"
	}
	params := method.Params()
	if len(p.args) == 0 {
		return "", ""
	}
	if params.Len() != 2 {
		return "", "sqlc's method takes other arguments than its query"
	}
	last := params.At(1).Type()
	if len(p.args) == 1 && structOf(last) == nil || a.isOne(last) {
		expr, why := a.argument(h, p, p.args[0], last)
		return ", " + expr, why
	}
	fields := structOf(last)
	if fields == nil || fields.NumFields() != len(p.args) {
		return "", "sqlc's method takes other arguments than its query"
	}
	var b strings.Builder
	for i, arg := range p.args {
		field := fields.Field(i)
		expr, why := a.argument(h, p, arg, field.Type())
		if why != "" {
			return "", why
		}
		fmt.Fprintf(&b, "\n%s: %s,", field.Name(), expr)
	}
	return fmt.Sprintf(", %s{%s\n}", a.name(last), b.String()), ""
}

// isOne tells structs of other packages, such as a time, from those of arguments.
func (a *author) isOne(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != a.db.Package
}

// method is the signature of a method of sqlc's Queries.
func (a *author) method(name string) *types.Signature {
	queries, ok := a.db.Type("Queries").(*types.Named)
	if !ok {
		return nil
	}
	for m := range queries.Methods() {
		if m.Name() == name {
			return m.Signature()
		}
	}
	return nil
}

func (a *author) argument(h *handler, p *plan, arg argument, to types.Type) (expr, why string) {
	if arg.source == fromConstant {
		return "pageSize", ""
	}
	request := structOf(a.api.Type(p.RequestType))
	if request == nil {
		return "", "its request has no struct in Go"
	}
	if arg.source == tables.FromPath {
		field := property(request, arg.name)
		if field == nil {
			return "", fmt.Sprintf("its parameter %q has no field in Go", arg.name)
		}
		code, ok := a.convert("request."+field.Name(), field.Type(), to)
		if !ok {
			return "", fmt.Sprintf("its parameter %q isn't of the type of the column %s", arg.name, arg.column.Name)
		}
		return code, ""
	}
	holder := fieldNamed(request, "JSONBody")
	if holder == nil {
		holder = fieldNamed(request, "Body")
	} else if !h.JSONBody {
		h.JSONBody = true
		h.Notes = append(h.Notes, "it takes JSON only")
	}
	if holder == nil || elem(holder.Type()) == nil {
		return "", "its request has no JSON body that is known in Go"
	}
	body := structOf(elem(holder.Type()))
	if body == nil {
		return "", "its request body isn't an object in Go"
	}
	field := property(body, arg.name)
	if field == nil {
		return "", fmt.Sprintf("its request's property %q has no field in Go", arg.name)
	}
	code := fmt.Sprintf("request.%s.%s", holder.Name(), field.Name())
	if !p.bodyRequired() && !h.JSONBody {
		h.Body, code = a.name(elem(holder.Type())), "body."+field.Name()
	}
	return a.bodyArgument(h, arg, code, field.Type(), to)
}

func (a *author) bodyArgument(h *handler, arg argument, code string, from, to types.Type) (expr, why string) {
	if arg.column.Type != "jsonb" {
		expr, ok := a.convert(code, from, to)
		if !ok {
			return "", fmt.Sprintf("its request's property %q isn't of the type of the column %s", arg.name, arg.column.Name)
		}
		return expr, ""
	}
	if !isBytes(to) {
		return "", fmt.Sprintf("the column %s isn't jsonb", arg.column.Name)
	}
	l := local{Name: text.LowerFirst(code[strings.LastIndex(code, ".")+1:]) + "JSON", Expr: "json.Marshal(" + code + ")", Column: arg.column.Name}
	if elem(from) != nil {
		l.Expr = a.need(helperToJSON) + "(" + code + ")"
	}
	h.Locals = append(h.Locals, l)
	a.toJSON[arg.column.Name] = from
	return l.Name, ""
}

func fieldNamed(s *types.Struct, name string) *types.Var {
	for f := range s.Fields() {
		if f.Name() == name {
			return f
		}
	}
	return nil
}

// words makes "create payment" of CreatePayment.
func words(goName string) string {
	var b strings.Builder
	runes := []rune(goName)
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
