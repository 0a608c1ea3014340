package doctree

import "strings"

// Field is an entry of a table of the fields that a document may hold, named
// with dots from the top, as in key.header.
type Field interface{ FieldName() string }

// Lookup finds a field in its table, or tells that name is a group of fields.
func Lookup[F Field](table []F, name string) (leaf F, isGroup, known bool) {
	var none F
	for _, f := range table {
		if f.FieldName() == name {
			return f, false, true
		}
		if strings.HasPrefix(f.FieldName(), name+".") {
			return none, true, true
		}
	}
	return none, false, false
}

// FieldNames lists what a group may hold, or the top for "", in the table's
// order.
func FieldNames[F Field](table []F, group string) []string {
	var names []string
	for _, f := range table {
		name := f.FieldName()
		if group != "" {
			var ok bool
			if name, ok = strings.CutPrefix(name, group+"."); !ok {
				continue
			}
		}
		name, _, _ = strings.Cut(name, ".")
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return names
}
