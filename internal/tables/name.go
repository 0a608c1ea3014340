package tables

import (
	"regexp"
	"strings"
)

// maxTable leaves room for the names of columns in those of indexes.
const maxTable = 40

// name names the table: after the path's last word if that is a collection, else
// after the answer's component.
func (d *derivation) name(e *entity) {
	o := e.creates[0].op
	e.table.Operation = o.Identity()
	words := staticWords(o.Path)
	segment := ""
	if len(words) > 0 {
		segment = snake(words[len(words)-1])
	}
	component := plural(snake(e.shape.Component))
	var candidates []string
	if segment == plural(segment) || component == "" {
		candidates = append(candidates, plural(segment), component)
	} else {
		candidates = append(candidates, component, plural(segment))
	}
	candidates = append(candidates, plural(snake(strings.Join(words, "_"))), plural(snake(e.table.Operation)))
	e.table.Name = d.takeTable(candidates)
}

func (d *derivation) takeTable(candidates []string) string {
	var usable []string
	for _, c := range candidates {
		if c != "" {
			usable = append(usable, identifier(objectFree(c), ""))
		}
	}
	if usable == nil {
		usable = []string{"rows_"}
	}
	return d.taken.take(maxTable, tableID, usable...)
}

// objectSuffix ends the names of indexes and sequences, which share a name space
// with tables.
var objectSuffix = regexp.MustCompile(`_(pkey|idx[0-9]*|seq)$`)

func objectFree(name string) string {
	if objectSuffix.MatchString(name) {
		return name + "_rows"
	}
	return name
}

// staticWords are a path's segments that are not parameters, nor versions as in
// /v1.
func staticWords(path string) []string {
	var words []string
	for s := range strings.SplitSeq(path, "/") {
		s, _, _ = strings.Cut(s, ":") // a custom method, as in /orders:import
		if s != "" && !strings.ContainsAny(s, "{}") && !version.MatchString(s) {
			words = append(words, s)
		}
	}
	return words
}

var version = regexp.MustCompile(`^v[0-9]+$`)

// parent finds the word before the last parameter that a nested create's path
// has, as in /bookings/{bookingId}/payment, and what the path is up to there.
func parent(path, parameter string) (prefix, word string) {
	prefix, _, found := strings.Cut(path, "/{"+parameter+"}")
	if !found {
		return "", ""
	}
	return prefix, prefix[strings.LastIndexByte(prefix, '/')+1:]
}
