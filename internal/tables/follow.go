package tables

import (
	"slices"
	"strconv"
	"strings"
)

// follow takes the table at hand as near to w as it gets without a risk.
func (d *differ) follow(w *Table) {
	t := d.table
	t.Operation = w.Operation
	wanted := make(map[string]*Column) // by the names that the columns have
	for i := range w.Columns {
		c := w.Columns[i]
		have := t.same(w, &c)
		if have == nil && c.Property == "" && c.Name == w.Key {
			continue // a key of our own, and there is one already
		}
		if have == nil {
			c.Name = t.freeName(c.Name)
			have = d.add(&c)
		}
		have.Property = c.Property
		c.Name = have.Name
		wanted[have.Name] = &c
		d.column(have.Name, &c)
		if w.Columns[i].Name == w.Key && have.Name != t.Key {
			d.key(have.Name)
		}
	}
	for _, name := range t.columnNames() {
		if wanted[name] == nil && (name != t.Key || t.Column(name).Property != "") {
			d.unwanted(name)
		}
	}
}

// same finds the column for one that w wants: by the property, which names never
// follow, or by the name if it has no property, or one that is gone.
func (t *Table) same(w *Table, c *Column) *Column {
	for i := range t.Columns {
		if c.Property != "" && t.Columns[i].Property == c.Property {
			return &t.Columns[i]
		}
	}
	have := t.Column(c.Name)
	if have == nil || have.Property == c.Property {
		return have
	}
	gone := !slices.ContainsFunc(w.Columns, func(o Column) bool { return o.Property == have.Property })
	if (have.Property == "" || gone) && have.Type == c.Type {
		return have
	}
	return nil
}

func (t *Table) columnNames() []string {
	var list []string
	for _, c := range t.Columns {
		list = append(list, c.Name)
	}
	return list
}

// freeName is name, unless a column of a property that is gone has it.
func (t *Table) freeName(name string) string {
	taken := names{}
	for _, c := range t.Columns {
		taken[columnID(c.Name)] = true
	}
	return taken.take(maxName, columnID, name)
}

// add makes a column that the rows and the statements from before don't know.
func (d *differ) add(w *Column) *Column {
	t := d.table
	c := Column{Name: w.Name, Property: w.Property, Type: w.Type, Enum: w.Enum, References: w.References}
	if w.NotNull && w.Default != "" {
		c.NotNull, c.Default = true, w.Default
	}
	if c.References != "" {
		c.Index = d.freeIndex(object(t.Name, c.Name, "idx"))
	}
	up := "ALTER TABLE " + t.Name + " ADD COLUMN " + strings.TrimRight(c.Name+" "+c.Type+" "+c.attributes(), " ")
	if c.References != "" {
		up += " CONSTRAINT " + object(t.Name, c.Name, "fkey") + " REFERENCES " + c.References + " (" + find(d.tables, c.References).Key + ")"
	}
	if c.Enum != nil {
		up += " CONSTRAINT " + check(t, &c)
	}
	d.do(up, "ALTER TABLE "+t.Name+" DROP COLUMN "+c.Name)
	if c.Index != "" {
		d.do(createIndex(t, &c), "") // goes with the column
	}
	t.Columns = append(t.Columns, c)
	return &t.Columns[len(t.Columns)-1]
}

func (d *differ) freeIndex(name string) string {
	free, i := name, 1
	for d.hasIndex(free) {
		i++
		free = clip(name, maxName-4) + "_" + strconv.Itoa(i)
	}
	return free
}

func (d *differ) hasIndex(name string) bool {
	return slices.ContainsFunc(d.tables, func(t Table) bool {
		return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Index == name })
	})
}

// key leaves another primary key to the user.
func (d *differ) key(column string) {
	t := d.table
	pkey := object(t.Name, "", "pkey")
	change := func(key string) string {
		return "ALTER TABLE " + t.Name + " DROP CONSTRAINT " + pkey + ", ADD CONSTRAINT " + pkey + " PRIMARY KEY (" + key + ")"
	}
	if d.leave(column, "it takes a value in every row, all different, and foreign keys of other tables go by the old key", change(column), change(t.Key)) {
		t.Key = column
		t.Column(column).NotNull = true
	}
}

// unwanted deals with a column that the document doesn't have any more: servers
// and rows from before have it.
func (d *differ) unwanted(name string) {
	t, c := d.table, d.table.Column(name)
	switch {
	case c.Default != "" || c.Identity:
	case name == t.Key:
		filled := column{Column: *c}
		filled.fillKey()
		d.fill(c, &filled.Column)
	case c.NotNull:
		d.dropNotNull(c)
	}
	if name == t.Key {
		return
	}
	if d.leave(name, "rows have it, and servers from before read and write it; drop it when none of them runs and the values are not needed",
		"ALTER TABLE "+t.Name+" DROP COLUMN "+name, "") {
		t.Columns = slices.DeleteFunc(t.Columns, func(c Column) bool { return c.Name == name })
	}
}
