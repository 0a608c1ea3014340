package tables

import "slices"

// Change is what takes a database from one revision of the tables to the next.
type Change struct {
	// Migration is a goose migration, nil when there is nothing to write.
	Migration []byte
	// Tables are what the database has after it.
	Tables []Table
	// Left are the statements that the migration has in comments.
	Left []Left
}

// Left is a statement that is left to the user.
type Left struct {
	Table, Column string
	// Line is where it stands in the migration.
	Line int
	// Statement is without a semicolon, Why says what it could lose or break.
	Statement, Why string
}

// Diff compares what the database has with what a document wants, as Derive
// returned it, and writes a migration of that name. What it does is additive: rows
// stay valid, and insert statements from before go on working. The rest is in
// comments, once: done tells whether a statement that is open meanwhile stands in
// a migration. Tables that only the document has are ignored.
func Diff(had, want []Table, migration string, done func(Open) bool) *Change {
	d := &differ{migration: migration, done: done}
	for _, t := range had {
		t.Columns = slices.Clone(t.Columns)
		d.tables = append(d.tables, t)
	}
	matched := match(had, want)
	var dropped []string
	for i := range d.tables {
		d.table = &d.tables[i]
		d.before, d.table.Open = d.table.Open, nil
		if w := matched[i]; w != nil {
			d.follow(w)
			continue
		}
		if d.leave("", "no create answers with its rows any more; drop it when no server reads it and its rows are not needed",
			"DROP TABLE "+d.table.Name, "") {
			dropped = append(dropped, d.table.Name)
		}
	}
	d.tables = slices.DeleteFunc(d.tables, func(t Table) bool { return slices.Contains(dropped, t.Name) })
	change := &Change{Tables: d.tables}
	if len(d.steps) > 0 {
		change.Migration, change.Left = d.render()
	}
	return change
}

// differ collects the steps, and applies them to tables as it goes.
type differ struct {
	migration string
	done      func(Open) bool
	tables    []Table
	steps     []step

	table  *Table // at hand
	before []Open // of table
}

// step is one statement, without a semicolon. It is in comments if why is set.
type step struct {
	table, column string
	up, down      string
	why           string
}

// do adds a statement that can't hurt.
func (d *differ) do(up, down string) {
	d.steps = append(d.steps, step{table: d.table.Name, up: up, down: down})
}

// leave adds a statement in comments, unless that was done before. It tells
// whether the user has let it run.
func (d *differ) leave(column, why, up, down string) bool {
	i := slices.IndexFunc(d.before, func(o Open) bool { return o.Statement == up })
	switch {
	case i < 0:
		d.table.Open = append(d.table.Open, Open{d.migration, up})
		d.steps = append(d.steps, step{d.table.Name, column, up, down, why})
		return false
	case d.done != nil && d.done(d.before[i]):
		return true
	}
	d.table.Open = append(d.table.Open, d.before[i])
	return false
}

// match finds the wanted table for each that is there, nil for none. It goes by the
// operation, and then by the name: an operation may have got another id, or
// another operation may have taken over. References are put into the names that
// the tables have.
func match(had, want []Table) []*Table {
	pairs := make([]*Table, len(had))
	taken := make([]bool, len(want))
	for _, same := range []func(h, w *Table) bool{
		func(h, w *Table) bool { return h.Operation == w.Operation },
		func(h, w *Table) bool { return h.Name == w.Name },
	} {
		for i := range had {
			for j := range want {
				if pairs[i] == nil && !taken[j] && same(&had[i], &want[j]) {
					w := want[j]
					pairs[i], taken[j] = &w, true
				}
			}
		}
	}
	names := map[string]string{}
	for i, w := range pairs {
		if w != nil {
			names[w.Name] = had[i].Name
		}
	}
	for _, w := range pairs {
		if w == nil {
			continue
		}
		w.Columns = slices.Clone(w.Columns)
		for k := range w.Columns {
			w.Columns[k].References = names[w.Columns[k].References] // "" if the table isn't ours
		}
	}
	return pairs
}
