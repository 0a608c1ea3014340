package scaffold

import (
	"fmt"
	"go/types"
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

// wrap writes a value of oapi-codegen's response type around expr, and tells the
// type of the data that expr has, or the elements of expr have. The type is nil
// if there is no certain way.
func (w *wrapper) wrap(response types.Type, expr string) (code string, data types.Type) {
	name := w.name(response)
	fields := structOf(response)
	if fields == nil {
		slice, ok := response.Underlying().(*types.Slice)
		if !ok || !w.many {
			return "", nil
		}
		return fmt.Sprintf("%s(%s)", name, expr), slice.Elem()
	}
	body, headers := fieldNamed(fields, "Body"), fieldNamed(fields, "Headers")
	switch {
	case body != nil && headers != nil && fields.Tag(0) == "":
		inner, data := w.wrap(body.Type(), expr)
		if data == nil {
			return "", nil
		}
		if types.Identical(w.api.Source(body.Type()), data) {
			inner = expr
		}
		return fmt.Sprintf("%s{\nBody: %s,\nHeaders: %s,\n}", name, inner, w.headers(headers.Type())), data
	case fields.NumFields() == 1 && fields.Field(0).Embedded():
		inner, data := w.wrap(fields.Field(0).Type(), expr)
		return fmt.Sprintf("%s{%s: %s}", name, fields.Field(0).Name(), inner), data
	case w.many:
		return w.envelope(name, fields, expr)
	}
	data = w.api.Source(response)
	if types.Identical(data, response) {
		return expr, data
	}
	return fmt.Sprintf("%s(%s)", name, expr), data
}

// envelope is an object around a list: with one property that is a list of
// objects, and nothing else that must be there.
func (w *wrapper) envelope(name string, fields *types.Struct, expr string) (code string, data types.Type) {
	for i := range fields.NumFields() {
		f := fields.Field(i)
		t, value := f.Type(), expr
		if e := elem(t); e != nil {
			t, value = e, "&"+expr
		}
		slice, ok := types.Unalias(t).(*types.Slice)
		switch {
		case ok && structOf(slice.Elem()) != nil && elem(slice.Elem()) == nil:
			if data != nil {
				return "", nil
			}
			code, data = fmt.Sprintf("%s{%s: %s}", name, f.Name(), value), slice.Elem()
		case !ok && elem(f.Type()) == nil:
			return "", nil // it must be there, and we don't know what it is
		}
	}
	return code, data
}

// headers fills in Location where it is known; the author can't know others.
func (w *wrapper) headers(t types.Type) string {
	fields := structOf(t)
	var set []string
	for i := range fields.NumFields() {
		f := fields.Field(i)
		location := w.location()
		switch {
		case f.Name() == "Location" && location != "" && types.Identical(f.Type(), types.Typ[types.String]):
			set = append(set, "Location: "+location)
		case f.Name() == "Location" && location != "" && elem(f.Type()) != nil && types.Identical(elem(f.Type()), types.Typ[types.String]):
			set = append(set, "Location: new("+location+")")
		default:
			w.h.Notes = append(w.h.Notes, fmt.Sprintf("it doesn't set the header %s", f.Name()))
		}
	}
	return fmt.Sprintf("%s{%s}", w.name(t), strings.Join(set, ", "))
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
func (a *author) rowConverter(row, data types.Type, table *tables.Table) (*rowConverter, string) {
	rowName, dataName := a.name(row), a.name(data)
	key := rowName + " " + dataName
	if made := a.converters[key]; made != nil {
		return made, ""
	}
	fields, columns := structOf(data), structOf(row)
	if fields == nil || strings.HasPrefix(dataName, "struct") || columns.NumFields() != len(table.Columns) {
		return nil, "its answer isn't an object that has a name in Go"
	}
	made := &rowConverter{Row: rowName, Type: dataName}
	for i, c := range table.Columns {
		if c.Property == "" {
			continue
		}
		field := property(fields, c.Property)
		if field == nil {
			return nil, fmt.Sprintf("its answer's property %q has no field in Go", c.Property)
		}
		column := columns.Field(i)
		if c.Type == "jsonb" && isBytes(column.Type()) {
			call := "json.Unmarshal"
			if !c.NotNull {
				call = a.need(helperFromJSON)
			}
			call = fmt.Sprintf("%s(row.%s, &answer.%s)", call, column.Name(), field.Name())
			made.JSON = append(made.JSON, jsonField{field.Name(), call, c.Name})
			continue
		}
		value, ok := a.convert("row."+column.Name(), column.Type(), field.Type())
		if !ok {
			return nil, fmt.Sprintf("its answer's property %q isn't of the type of the column %s", c.Property, c.Name)
		}
		made.Fields = append(made.Fields, goField{field.Name(), value})
	}
	if len(made.Fields)+len(made.JSON) == 0 {
		return nil, "its answer has none of the table's columns"
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

func (a *author) nameTaken(name string) bool {
	for _, c := range a.converters {
		if c.Name == name {
			return true
		}
	}
	return false
}
