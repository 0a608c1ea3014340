package scaffold

import (
	"fmt"
	"go/token"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/idemgen/idemgen/internal/oapi"
	"github.com/idemgen/idemgen/internal/spec"
	"github.com/idemgen/idemgen/internal/tables"
)

// operation is one operation, as each of the parts sees it.
type operation struct {
	oapi.Operation
	Source   *spec.Operation
	Document *openapi3.Operation
	// Parameters are those of the path and of the operation.
	Parameters []*openapi3.Parameter
	// Secured says that it asks for credentials.
	Secured bool
}

// kind is what a handler does.
type kind int

const (
	todo   kind = iota // answers 501
	create             // inserts a row and answers with it
	get                // reads the row that the path names
	list               // reads rows
)

// plan is what an operation's handler will do.
type plan struct {
	*operation
	kind  kind
	why   string // of a todo
	file  string // the slug of the resource
	table *tables.Table
	query string
	args  []argument // of the query, in its order
	// status is that of the answer; the author knows it.
	status int
	notes  []string // of what the handler leaves out
}

// argument is a parameter of a query.
type argument struct {
	column *tables.Column
	source string // tables.FromBody, tables.FromPath, or pageSize
	name   string // the property or the path's parameter
	// orDefault says that the column's default stands in for NULL.
	orDefault bool
}

// fromConstant is the source of the largest number of rows.
const fromConstant = "page size"

// plans decides what each operation's handler does.
func plans(ops []*operation, derived *tables.Derivation) []*plan {
	p := planner{derived: derived, queries: map[string]bool{}}
	all := make([]*plan, len(ops))
	for i, op := range ops {
		all[i] = p.plan(op)
		all[i].file = resource(op.Path)
	}
	return all
}

type planner struct {
	derived *tables.Derivation
	queries map[string]bool
}

func (p *planner) plan(op *operation) *plan {
	switch {
	case op.Source.Idempotent != nil && op.Method == http.MethodPost:
		for i := range p.derived.Inserts {
			if c := &p.derived.Inserts[i]; sameOperation(c.Operation, op.Source) {
				return p.create(op, c)
			}
		}
		for _, note := range p.derived.Underived {
			if note.Operation == op.Source.Identity() {
				return &plan{operation: op, why: note.Message}
			}
		}
		return &plan{operation: op, why: "no table could be derived from its answer"}
	case op.Method == http.MethodGet && op.Source.Idempotent == nil:
		if c, key := p.collection(op.Path); c != nil {
			return p.read(op, c, key)
		}
		return &plan{operation: op, why: "it reads what no idempotent POST creates"}
	case op.Method == http.MethodGet || op.Method == http.MethodHead || op.Method == http.MethodOptions:
		return &plan{operation: op, why: "it isn't a plain read"}
	case op.Method == http.MethodPost:
		return &plan{operation: op, why: "it isn't marked as idempotent"}
	}
	return &plan{operation: op, why: "what " + op.Method + " changes is the business's to say"}
}

func sameOperation(a, b *spec.Operation) bool { return a.Method == b.Method && a.Path == b.Path }

func (p *planner) create(op *operation, c *tables.Insert) *plan {
	made := &plan{operation: op, kind: create, table: p.table(c.Table), query: p.queryName(op.GoName)}
	for _, in := range c.Values {
		column := made.table.Column(in.Column)
		made.args = append(made.args, argument{
			column: column, source: in.Source, name: in.Name,
			orDefault: in.Optional && column.Default != "",
		})
	}
	return made
}

func (p *planner) table(name string) *tables.Table {
	i := slices.IndexFunc(p.derived.Tables, func(t tables.Table) bool { return t.Name == name })
	return &p.derived.Tables[i]
}

var lastParameter = regexp.MustCompile(`^(.+)/\{([^/{}]+)\}$`)

// collection finds the create whose rows a path is about: all of them, or the
// one that its last parameter names.
func (p *planner) collection(path string) (c *tables.Insert, key string) {
	at := func(path string) *tables.Insert {
		for i := range p.derived.Inserts {
			if c := &p.derived.Inserts[i]; c.Operation.Path == path {
				return c
			}
		}
		return nil
	}
	if c := at(path); c != nil {
		return c, ""
	}
	if m := lastParameter.FindStringSubmatch(path); m != nil {
		return at(m[1]), m[2]
	}
	return nil, ""
}

// read plans a GET. What the path names before the row is a column too, since
// the create takes it from there.
func (p *planner) read(op *operation, c *tables.Insert, key string) *plan {
	made := &plan{operation: op, kind: list, table: p.table(c.Table)}
	for _, param := range op.PathParams {
		if param.Name == key {
			continue
		}
		i := slices.IndexFunc(c.Values, func(in tables.Value) bool { return in.Source == tables.FromPath && in.Name == param.Name })
		if i < 0 {
			return &plan{operation: op, why: fmt.Sprintf("no column is known for its parameter %q", param.Name)}
		}
		made.args = append(made.args, argument{column: made.table.Column(c.Values[i].Column), source: tables.FromPath, name: param.Name})
	}
	if key != "" && !namesKey(key, made.table) {
		return &plan{operation: op, why: fmt.Sprintf("its parameter %q isn't plainly the key of %s, which is %s", key, made.table.Name, made.table.Key)}
	}
	if key != "" {
		made.kind = get
		made.args = append(made.args, argument{column: made.table.Column(made.table.Key), source: tables.FromPath, name: key})
	} else {
		made.args = append(made.args, argument{source: fromConstant})
	}
	made.query = p.queryName(op.GoName)
	return made
}

// namesKey tells whether a parameter means the key of a table: by the key's name,
// as in petId, or by the table's, as in {pet}.
func namesKey(parameter string, t *tables.Table) bool {
	plain := func(s string) string { return strings.ReplaceAll(slug(s), "-", "") }
	name, key, table := plain(parameter), plain(t.Key), plain(t.Name)
	return name != "" && (strings.HasSuffix(name, key) || strings.HasSuffix(key, name) || strings.TrimSuffix(table, "s") == name)
}

// queryName is the operation's Go name, but for those of which sqlc would make a
// constant that Go has another use for.
func (p *planner) queryName(goName string) string {
	name := goName
	runes := []rune(goName)
	runes[0] = unicode.ToLower(runes[0])
	if lower := string(runes); token.IsKeyword(lower) || lower == "string" || lower == "error" || lower == "new" || p.queries[name] {
		name += "Row"
	}
	p.queries[name] = true
	return name
}

var versionSegment = regexp.MustCompile(`^v[0-9]+([._-].*)?$`)

// resource names the file for a path: its first word that isn't a version.
func resource(path string) string {
	for segment := range strings.SplitSeq(path, "/") {
		segment = strings.ToLower(segment)
		if segment == "api" || versionSegment.MatchString(segment) || strings.ContainsAny(segment, "{}") {
			continue
		}
		if s := slug(segment); s != "" {
			if slices.Contains([]string{"service", "convert", "idempotency"}, s) {
				s += "-resource" // these are files of ours
			}
			return s
		}
	}
	return "root"
}
