package tables

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/spec"
)

// Derivation is what a document's idempotent creates say about the database.
type Derivation struct {
	// Tables are in an order in which they can be made.
	Tables []Table
	// Inserts are the operations that insert a row, in document order.
	Inserts []Insert
	// Underived are the marked POST operations that no table can serve.
	Underived []Note
	// Placeholders are columns whose default is only there to be taken: the
	// handler has to make the value.
	Placeholders []Note
	// Notes are of what else the document says and a table can't.
	Notes []Note
}

// Insert is an operation that inserts a row.
type Insert struct {
	Operation *spec.Operation
	// Table is the table's name.
	Table string
	// Values are the columns that a request fills. The database fills the
	// others: with their default, the next number, or NULL.
	Values []Value
}

// The sources of a column's value.
const (
	FromBody = "body"
	FromPath = "path"
)

// Value is a column that a request fills.
type Value struct {
	Column string
	// Source is FromBody or FromPath, Name the property or the parameter there.
	Source, Name string
	// Optional says that a request may leave it out, or send null. A column that
	// is NOT NULL has a default for that.
	Optional bool
}

// Note says something about an operation, a table or a column, in words.
type Note struct {
	Pos diag.Pos
	Len int
	// Operation is an identity; Table and Column are names, or empty.
	Operation, Table, Column string
	// Message is lower case, and quotes what comes from the document.
	Message string
}

// Derive makes a table for the answer of each create: a POST that is marked
// idempotent. Names in taken, such as that of the record table, are not used.
func Derive(doc *spec.Document, taken ...string) *Derivation {
	d := &derivation{doc: doc, taken: names{}}
	for _, name := range append(slices.Clone(taken), "goose_db_version") {
		d.taken[tableID(name)] = true
	}
	for _, o := range doc.Operations {
		if o.Method == http.MethodPost && o.Idempotent != nil {
			d.operation(o)
		}
	}
	for _, e := range d.entities {
		d.name(e)
	}
	for _, e := range d.entities {
		d.columns(e)
	}
	for _, e := range d.entities {
		d.pathColumns(e)
	}
	for _, e := range d.entities {
		d.references(e)
	}
	d.order()
	for _, e := range d.entities {
		d.fill(e)
	}
	return d.result()
}

type derivation struct {
	doc      *spec.Document
	taken    names
	entities []*entity
	out      Derivation
}

// entity is a table in the making.
type entity struct {
	table   Table
	shape   *spec.Shape
	creates []*create
	columns []*column
	taken   names // of the columns
}

// create is an operation that answers with a row of the entity.
type create struct {
	op      *spec.Operation
	body    map[string]spec.Property
	present bool             // the body is required
	values  map[string]Value // by column
}

// column is a column in the making.
type column struct {
	Column
	shape *spec.Shape
	note  Note // its place
}

// operation finds the entity of a create, or says why it has none.
func (d *derivation) operation(o *spec.Operation) {
	fail := func(format string, args ...any) {
		d.out.Underived = append(d.out.Underived, Note{
			Pos: o.Pos, Len: o.Len, Operation: o.Identity(), Message: fmt.Sprintf(format, args...),
		})
	}
	answer := d.doc.Answer(o)
	if answer == nil {
		fail("it has no 201, 200 or 202 answer with a JSON schema that can be told")
		return
	}
	if types := answer.Types(); !slices.Equal(types, []string{"object"}) {
		fail("its answer is %s, not an object", phrase(types))
		return
	}
	if !slices.ContainsFunc(answer.Properties(), isShown) {
		fail("its answer is an object without known properties")
		return
	}
	c := &create{op: o, body: map[string]spec.Property{}, values: map[string]Value{}}
	body, required, problem := d.body(o)
	if problem != "" {
		fail("%s", problem)
		return
	}
	c.present = required
	if body != nil {
		for _, p := range body.Properties() {
			if !p.Shape.ReadOnly() {
				c.body[p.Name] = p
			}
		}
	}
	if len(c.body) > 0 && len(d.doc.PathParameters(o)) == 0 && !slices.ContainsFunc(answer.Properties(), func(p spec.Property) bool { _, ok := c.body[p.Name]; return ok }) {
		fail("its answer has no property of its request: what to store can't be told")
		return
	}
	for _, e := range d.entities {
		if !e.shape.Same(answer) {
			continue
		}
		if parent := e.creates[0].op.Path; strings.HasPrefix(o.Path, parent+"/{") {
			fail("its answer is that of POST %q: it changes a row of that, it doesn't make one", parent)
			return
		}
		e.creates = append(e.creates, c)
		return
	}
	d.entities = append(d.entities, &entity{shape: answer, creates: []*create{c}, taken: names{}})
}

// body is the JSON object that an operation takes, nil for none.
func (d *derivation) body(o *spec.Operation) (body *spec.Shape, required bool, problem string) {
	body, required, declared := d.doc.Body(o)
	switch {
	case body == nil && declared:
		return nil, false, "its request body has no JSON schema that can be told"
	case body != nil && !slices.Equal(body.Types(), []string{"object"}):
		return nil, false, "its request body is " + phrase(body.Types()) + ", not an object"
	}
	return body, required, ""
}

// isShown tells properties that answers have.
func isShown(p spec.Property) bool { return !p.Shape.WriteOnly() }

func phrase(types []string) string {
	switch {
	case len(types) == 0:
		return "of no JSON type"
	case len(types) > 5:
		return "of any JSON type"
	}
	return "of type " + strings.Join(types, " or ")
}

// result gathers the tables and who fills them.
func (d *derivation) result() *Derivation {
	out := &d.out
	tableOf := map[*spec.Operation]*entity{}
	creates := map[*spec.Operation]*create{}
	for _, e := range d.entities {
		for _, c := range e.columns {
			e.table.Columns = append(e.table.Columns, c.Column)
		}
		out.Tables = append(out.Tables, e.table)
		for _, c := range e.creates {
			tableOf[c.op], creates[c.op] = e, c
		}
	}
	for _, o := range d.doc.Operations {
		e := tableOf[o]
		if e == nil {
			continue
		}
		made := Insert{Operation: o, Table: e.table.Name}
		for _, c := range e.table.Columns {
			if in, ok := creates[o].values[c.Name]; ok {
				made.Values = append(made.Values, in)
			}
		}
		out.Inserts = append(out.Inserts, made)
	}
	return out
}
