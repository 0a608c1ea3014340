// Package tables derives business tables from the answers of idempotent creates,
// and the migrations that take a database from one revision of them to the next.
package tables

import "slices"

// Table is one business table. Its plain data is kept in idemgen.lock, so that
// the next run knows what the database has.
type Table struct {
	// Name is a plain SQL identifier: lower case, never a reserved word.
	Name string `yaml:"name"`
	// Operation is the identity of the create that the table was derived from.
	Operation string   `yaml:"operation"`
	Columns   []Column `yaml:"columns"`
	// Key is the primary key's column.
	Key string `yaml:"key"`
	// Open is what migrations have left to the user, commented out.
	Open []Open `yaml:"open,omitempty"`
}

// Open is a statement that a migration has in comments. It isn't written again,
// and once it stands in a migration without comments, the table has changed.
type Open struct {
	// Migration is the name of the file.
	Migration string `yaml:"migration"`
	Statement string `yaml:"statement"`
}

// Column is one column.
type Column struct {
	// Name is a plain SQL identifier.
	Name string `yaml:"name"`
	// Property is its property of the answer's schema; empty for a column that
	// the answer doesn't show, such as a key of our own or a path parameter's.
	Property string `yaml:"property,omitempty"`
	// Type is PostgreSQL's, such as text, bigint, uuid, timestamptz, jsonb.
	Type    string `yaml:"type"`
	NotNull bool   `yaml:"notNull,omitempty"`
	// Identity says that the database counts the column up.
	Identity bool `yaml:"identity,omitempty"`
	// Default is an SQL expression, made by us and never taken from a spec unescaped.
	Default string `yaml:"default,omitempty"`
	// Enum are the values that a CHECK allows; nil for any.
	Enum []string `yaml:"enum,omitempty,flow"`
	// References is the table whose key this column holds; empty for none.
	References string `yaml:"references,omitempty"`
	// Index is the index on a reference, whose name no other table may have.
	Index string `yaml:"index,omitempty"`
}

// Column returns the column of that name, nil when there is none.
func (t *Table) Column(name string) *Column {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &t.Columns[i]
}

// find returns the table of that name, nil when there is none.
func find(list []Table, name string) *Table {
	i := slices.IndexFunc(list, func(t Table) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return &list[i]
}
