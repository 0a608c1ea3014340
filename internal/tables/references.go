package tables

import (
	"strconv"
	"strings"
)

// references finds columns that hold another table's key: customer_id.
func (d *derivation) references(e *entity) {
	for _, c := range e.columns {
		word, ok := strings.CutSuffix(c.Name, "_id")
		if !ok || c.Name == e.table.Key || c.References != "" {
			continue
		}
		for _, target := range d.entities {
			named := target.table.Name == plural(word) || target != e && target.table.Key == c.Name
			if named && target.keyType() == c.Type && c.Enum == nil {
				c.References = target.table.Name
			}
		}
	}
}

// order puts tables behind those that they refer to. A reference that would close
// a circle is left out: with it, the first row could not be there.
func (d *derivation) order() {
	byName := map[string]*entity{}
	for _, e := range d.entities {
		byName[e.table.Name] = e
	}
	var sorted []*entity
	state := map[*entity]int{} // 1: being visited, 2: done
	var visit func(e *entity)
	visit = func(e *entity) {
		state[e] = 1
		for _, c := range e.columns {
			target := byName[c.References]
			switch {
			case target == nil || target == e && !c.NotNull: // a root refers to nothing
			case state[target] == 1:
				c.References = ""
				d.note(&d.out.Notes, e, c, "it holds the key of "+target.table.Name+", but is no foreign key: the tables would refer to each other in a circle")
			case state[target] == 0:
				visit(target)
			}
		}
		state[e] = 2
		sorted = append(sorted, e)
	}
	for _, e := range d.entities {
		if state[e] == 0 {
			visit(e)
		}
	}
	d.entities = sorted
	d.index()
}

// index names the indexes. Those of a_b (c) and a (b_c) would be the same.
func (d *derivation) index() {
	taken := map[string]bool{}
	for _, e := range d.entities {
		for _, c := range e.columns {
			if c.References == "" {
				continue
			}
			c.Index = object(e.table.Name, c.Name, "idx")
			for i := 2; taken[c.Index]; i++ {
				c.Index = object(e.table.Name, c.Name, "idx"+strconv.Itoa(i))
			}
			taken[c.Index] = true
		}
	}
}
