package tables

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/spec"
)

// columns makes a column of each property, and chooses the key.
func (d *derivation) columns(e *entity) {
	for _, p := range e.shape.Properties() {
		if isShown(p) {
			d.column(e, p)
		}
	}
	key := d.findKey(e)
	if key == nil {
		key = &column{Column: Column{Type: "bigint", Identity: true}}
		key.Name = e.taken.take(maxName, columnID, "id", "row_id")
	}
	e.columns = slices.DeleteFunc(e.columns, func(c *column) bool { return c == key })
	e.columns = slices.Insert(e.columns, 0, key)
	key.NotNull = true
	e.table.Key = key.Name
}

func (d *derivation) column(e *entity, p spec.Property) {
	c := &column{shape: p.Shape}
	c.Type, c.Enum = columnType(p.Shape)
	c.Name = e.taken.take(maxName, columnID, identifier(snake(p.Name), "column_"))
	c.Property = p.Name
	c.NotNull = p.Required && !p.Shape.Nullable()
	pos, length := p.Pos()
	c.note = Note{Pos: pos, Len: length, Operation: e.table.Operation, Table: e.table.Name, Column: c.Name}
	e.columns = append(e.columns, c)
}

// findKey finds the primary key among the properties: id, order_id in orders, or
// the only uuid that the server makes.
func (d *derivation) findKey(e *entity) *column {
	own := []string{"id"}
	for _, of := range []string{e.table.Name, snake(e.shape.Component)} {
		if of != "" {
			own = append(own, singular(of)+"_id")
		}
	}
	for _, name := range own {
		for _, c := range e.columns {
			if c.Name == name && isKeyType(c.Type) && c.Enum == nil {
				return c
			}
		}
	}
	// As event_id in special_events, unless a request names another thing by it.
	if c := e.byName(lastWord(singular(e.table.Name)) + "_id"); c != nil && isKeyType(c.Type) && c.Enum == nil && !d.isNamed(e, c) {
		return c
	}
	var made []*column
	for _, c := range e.columns {
		if c.Type == "uuid" && c.shape.ReadOnly() {
			made = append(made, c)
		}
	}
	if len(made) == 1 {
		return made[0]
	}
	return nil
}

// isNamed tells whether a column stands for a row of another table, or for
// something that every request has to name.
func (d *derivation) isNamed(e *entity, c *column) bool {
	word := strings.TrimSuffix(c.Name, "_id")
	return slices.ContainsFunc(d.entities, func(o *entity) bool { return o.table.Name == plural(word) }) ||
		slices.ContainsFunc(e.creates, func(o *create) bool { return o.body[c.Property].Required })
}

func lastWord(name string) string { return name[strings.LastIndexByte(name, '_')+1:] }

func (e *entity) byName(name string) *column {
	i := slices.IndexFunc(e.columns, func(c *column) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return e.columns[i]
}

// pathColumns takes up the path's parameters: what a nested create belongs to is
// in no body.
func (d *derivation) pathColumns(e *entity) {
	for _, c := range e.creates {
		for _, p := range d.doc.PathParameters(c.op) {
			if p.Shape == nil {
				continue
			}
			typ, _ := columnType(p.Shape)
			if typ == "jsonb" {
				continue
			}
			d.pathColumn(e, c, p.Name, typ)
		}
	}
	// A row that another operation makes has no such value.
	for _, col := range e.columns {
		if col.shape == nil && !col.Identity {
			col.NotNull = !slices.ContainsFunc(e.creates, func(c *create) bool { _, ok := c.values[col.Name]; return !ok })
		}
	}
}

func (d *derivation) pathColumn(e *entity, c *create, parameter, typ string) {
	prefix, word := parent(c.op.Path, parameter)
	candidates := []string{identifier(snake(parameter), "parameter")}
	target := d.collection(prefix, word)
	if target != nil {
		own := singular(target.table.Name) + "_id"
		if candidates[0] == "id" || !slices.Contains([]string{own, target.table.Key}, candidates[0]) {
			candidates = []string{own, candidates[0]}
		}
	} else if candidates[0] == "id" && snake(word) != "" {
		candidates[0] = singular(snake(word)) + "_id"
	}
	in := Value{Source: FromPath, Name: parameter}
	for _, name := range candidates {
		if col := e.byName(name); col != nil && name != e.table.Key && col.Type == typ && (col.shape == nil || c.body[col.Property].Shape == nil) {
			in.Column = name
			c.values[name] = in
			if target != nil && col.References == "" && target.keyType() == typ && target != e {
				col.References = target.table.Name
			}
			return
		}
	}
	col := &column{Column: Column{Type: typ}}
	col.Name = e.taken.take(maxName, columnID, candidates...)
	if target != nil && target != e && target.keyType() == typ {
		col.References = target.table.Name
	}
	in.Column = col.Name
	c.values[col.Name] = in
	// After the key and those that are there, where a reader looks for it.
	at := 1
	for at < len(e.columns) && e.columns[at].shape == nil {
		at++
	}
	e.columns = slices.Insert(e.columns, at, col)
}

// collection is the entity that is made at a path, or else has its last word for
// a name.
func (d *derivation) collection(prefix, word string) *entity {
	for _, e := range d.entities {
		if slices.ContainsFunc(e.creates, func(c *create) bool { return c.op.Path == prefix }) {
			return e
		}
	}
	for _, e := range d.entities {
		if word != "" && e.table.Name == plural(snake(word)) {
			return e
		}
	}
	return nil
}

func (e *entity) keyType() string { return e.byName(e.table.Key).Type }
