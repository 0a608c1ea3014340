package scaffold

import (
	"fmt"
	"go/types"
	"reflect"
	"strings"

	"github.com/idemgen/idemgen/internal/tables"
)

// wrapper writes the response around the data that a row makes.
type wrapper struct {
	*author
	p    *plan
	h    *handler
	many bool
}

// fit is how a response takes what a row makes.
type fit struct {
	// code is the response around an expression.
	code string
	// data is the type that a row is made into, or the elements are; nil if there
	// is no certain way.
	data types.Type
	// field is set for data that has no type of its own: it is this field of data.
	field string
	// assign is set for a list in a field without a type of its own, of data's.
	assign string
}

// wrap writes a value of oapi-codegen's response type around expr.
func (w *wrapper) wrap(response types.Type, expr string) fit {
	fields := structOf(response)
	if fields == nil {
		slice, ok := response.Underlying().(*types.Slice)
		switch {
		case !ok || !w.many:
			return fit{}
		case types.Unalias(response) == slice:
			return fit{code: expr, data: slice.Elem()}
		}
		return fit{code: fmt.Sprintf("%s(%s)", w.name(response), expr), data: slice.Elem()}
	}
	body, headers := fieldNamed(fields, "Body"), fieldNamed(fields, "Headers")
	switch {
	case body != nil && headers != nil && fields.Tag(0) == "":
		return w.wrapBody(response, body, headers, expr)
	case fields.NumFields() == 1 && fields.Field(0).Embedded():
		inner := w.wrap(fields.Field(0).Type(), expr)
		if inner.field != "" || inner.assign != "" {
			return fit{}
		}
		inner.code = fmt.Sprintf("%s{%s: %s}", w.name(response), fields.Field(0).Name(), inner.code)
		return inner
	case w.many:
		return w.envelope(w.name(response), fields, expr)
	}
	data := w.api.Source(response)
	if types.Identical(data, response) {
		return fit{code: expr, data: data}
	}
	return fit{code: fmt.Sprintf("%s(%s)", w.name(response), expr), data: data}
}

// wrapBody is for a response with headers. Its body may be of a type without a
// name, which can't be written but in place.
func (w *wrapper) wrapBody(response types.Type, body, headers *types.Var, expr string) fit {
	set := w.headers(headers.Type())
	if s, ok := types.Unalias(body.Type()).(*types.Struct); ok {
		if !w.many {
			return fit{code: expr, data: response, field: "Body"}
		}
		inner := w.envelope("", s, expr)
		if inner.data == nil {
			return fit{}
		}
		return fit{code: w.name(response), data: inner.data, assign: "Body." + inner.assign}
	}
	inner := w.wrap(body.Type(), expr)
	if inner.data == nil || inner.field != "" || inner.assign != "" {
		return fit{}
	}
	inner.code = fmt.Sprintf("%s{\nBody: %s,\n", w.name(response), inner.code)
	if set != "" {
		inner.code += fmt.Sprintf("Headers: %s,\n", set)
	}
	inner.code += "}"
	return inner
}

// envelope is an object around a list: with one property that is a list of
// objects, and nothing else that must be there. Without a name it is a field to
// assign to.
func (w *wrapper) envelope(name string, fields *types.Struct, expr string) (found fit) {
	for i := range fields.NumFields() {
		f := fields.Field(i)
		t, value := f.Type(), expr
		if e := elem(t); e != nil {
			t, value = e, "&"+expr
		}
		slice, ok := types.Unalias(t).(*types.Slice)
		switch {
		case ok && structOf(slice.Elem()) != nil && elem(slice.Elem()) == nil:
			if found.data != nil {
				return fit{}
			}
			found.data = slice.Elem()
			if name == "" {
				found.assign = fmt.Sprintf("%s = %s", f.Name(), value)
			} else {
				found.code = fmt.Sprintf("%s{%s: %s}", name, f.Name(), value)
			}
		case !ok && elem(f.Type()) == nil:
			return fit{} // it must be there, and we don't know what it is
		}
	}
	return found
}

// headers fills in Location where it is known, and notes those that must be there
// and aren't known. It is empty if there is nothing to fill in.
func (w *wrapper) headers(t types.Type) string {
	fields := structOf(t)
	location, set := w.location(), ""
	for f := range fields.Fields() {
		optional := elem(f.Type()) != nil
		switch {
		case f.Name() == "Location" && location != "" && types.Identical(f.Type(), types.Typ[types.String]):
			set = fmt.Sprintf("%s{Location: %s}", w.name(t), location)
		case f.Name() == "Location" && location != "" && optional && types.Identical(elem(f.Type()), types.Typ[types.String]):
			set = fmt.Sprintf("%s{Location: new(%s)}", w.name(t), location)
		case !optional:
			w.h.Notes = append(w.h.Notes, fmt.Sprintf("it doesn't set the header %s", f.Name()))
		}
	}
	return set
}

// location is the path of the row that was created, where a GET serves it.
func (w *wrapper) location() string {
	read := w.reads[w.p.table.Name]
	row := structOf(w.rowType(w.p.query))
	if read == nil || len(read.PathParams) != 1 || w.p.kind != create {
		return ""
	}
	for i, c := range w.p.table.Columns {
		if c.Name == w.p.table.Key {
			return fmt.Sprintf("%q + url.PathEscape(fmt.Sprint(row.%s))", w.p.Path+"/", row.Field(i).Name())
		}
	}
	return ""
}

// rowConverter is the function that makes data of a row: one for all handlers.
func (a *author) rowConverter(row types.Type, f fit, table *tables.Table) (*rowConverter, string) {
	rowName, dataName := a.name(row), a.name(f.data)
	key := rowName + " " + dataName
	if made := a.converters[key]; made != nil {
		return made, ""
	}
	fields, columns, at := structOf(f.data), structOf(row), ""
	if f.field != "" {
		fields, at = structOf(fieldNamed(fields, f.field).Type()), f.field+"."
	}
	if fields == nil || !strings.Contains(dataName, ".") || strings.HasPrefix(dataName, "struct") || columns.NumFields() != len(table.Columns) {
		return nil, "its answer isn't an object that has a name in Go"
	}
	made := &rowConverter{Row: rowName, Type: dataName, Assigns: at != "", fromJSON: map[string]types.Type{}}
	covered := map[*types.Var]bool{}
	for i, c := range table.Columns {
		field := property(fields, c.Property)
		if c.Property == "" || field == nil {
			continue
		}
		covered[field] = true
		column := columns.Field(i)
		if c.Type == "jsonb" && isBytes(column.Type()) {
			call := "json.Unmarshal"
			if !c.NotNull {
				call = a.need(helperFromJSON)
			}
			call = fmt.Sprintf("%s(row.%s, &answer.%s%s)", call, column.Name(), at, field.Name())
			made.JSON = append(made.JSON, jsonField{call, c.Name})
			made.fromJSON[c.Name] = field.Type()
			continue
		}
		value, ok := a.convert("row."+column.Name(), column.Type(), field.Type())
		if !ok {
			return nil, fmt.Sprintf("its answer's property %q isn't of the type of the column %s", c.Property, c.Name)
		}
		made.Fields = append(made.Fields, goField{at + field.Name(), value})
	}
	if len(covered) == 0 {
		return nil, "its answer has none of the columns of " + table.Name
	}
	for i := range fields.NumFields() {
		if field := fields.Field(i); !covered[field] && needed(field, fields.Tag(i)) {
			return nil, fmt.Sprintf("its answer's %s isn't in the table %s", field.Name(), table.Name)
		}
	}
	base := "to" + dataName[strings.LastIndex(dataName, ".")+1:]
	made.Name = base
	for n := 2; a.nameTaken(made.Name); n++ {
		made.Name = fmt.Sprintf("%s%d", base, n)
	}
	a.converters[key] = made
	a.made = append(a.made, made)
	return made, ""
}

// needed tells fields that an answer must have; one without a name in JSON holds
// what is of several types.
func needed(field *types.Var, tag string) bool {
	options := reflect.StructTag(tag).Get("json")
	return !field.Exported() || elem(field.Type()) == nil && options != "-" && !strings.Contains(options, ",omit")
}

func (a *author) nameTaken(name string) bool {
	for _, c := range a.converters {
		if c.Name == name {
			return true
		}
	}
	return false
}
