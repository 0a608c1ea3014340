package tables

import "slices"

// fill decides who fills each column: the request, or the database.
func (d *derivation) fill(e *entity) {
	for _, col := range e.columns {
		for _, c := range e.creates {
			c.fromBody(e, col)
		}
		if col.shape != nil {
			d.fillDefault(e, col)
		}
	}
}

// fromBody takes the value from the body's property of the same name and type.
func (c *create) fromBody(e *entity, col *column) {
	p, there := c.body[col.Property]
	if _, filled := c.values[col.Name]; filled || !there || col.shape == nil || col.shape.ReadOnly() {
		return
	}
	typ, enum := columnType(p.Shape)
	if typ != col.Type || !within(enum, col.Enum) {
		return
	}
	optional := !c.present || !p.Required || p.Shape.Nullable()
	isKey := col.Name == e.table.Key
	if isKey && optional && typ != "uuid" {
		return // the database makes it for everybody
	}
	c.values[col.Name] = Value{Column: col.Name, Source: FromBody, Name: p.Name, Optional: optional}
}

// within tells whether a CHECK for allowed takes every one of values.
func within(values, allowed []string) bool {
	if allowed == nil {
		return true
	}
	return values != nil && !slices.ContainsFunc(values, func(v string) bool { return !slices.Contains(allowed, v) })
}

// fillDefault gives a column a default if a request may come without its value.
func (d *derivation) fillDefault(e *entity, col *column) {
	filled := true // by every create, always
	for _, c := range e.creates {
		in, ok := c.values[col.Name]
		filled = filled && ok && !in.Optional
		if ok && in.Source == FromBody && col.Default == "" {
			col.Default = valueDefault(&col.Column, c.body[in.Name].Shape.Default())
		}
	}
	if filled {
		return
	}
	if col.Name == e.table.Key {
		col.fillKey()
		return
	}
	if col.References != "" {
		if col.NotNull {
			col.NotNull = false
			d.note(&d.out.Placeholders, e, col, "a request doesn't have it, and it refers to "+col.References+": it is NULL until the handler sets it")
		}
		return
	}
	value, real := serverDefault(&col.Column, col.shape)
	switch {
	case col.Default != "":
	case col.NotNull:
		col.Default = value
		if !real {
			d.note(&d.out.Placeholders, e, col, "the answer always has it and a request may not: it is "+value+" until the handler sets it")
		}
	case isStamp(col.Name) && (col.Type == "timestamptz" || col.Type == "date"), col.shape.Default() != nil && real:
		col.Default = value
	}
}

// fillKey lets the database make the key.
func (col *column) fillKey() {
	switch col.Type {
	case "uuid":
		col.Default = "gen_random_uuid()"
	case "text":
		col.Default = "gen_random_uuid()::text"
	default:
		col.Default, col.Identity = "", true
	}
}

// note says something about a column.
func (d *derivation) note(list *[]Note, e *entity, col *column, message string) {
	n := col.note
	n.Operation, n.Table, n.Column, n.Message = e.table.Operation, e.table.Name, col.Name, message
	*list = append(*list, n)
}
