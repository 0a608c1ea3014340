package spec

import (
	"regexp"
	"strconv"

	"github.com/idemgen/idemgen/internal/diag/doctree"
)

var queryName = regexp.MustCompile(`^[A-Z][A-Za-z0-9_]*$`)

func (r *reader) query(e doctree.Entry) {
	if e.Value.Kind != doctree.String {
		r.wrongType(e, "query", "the name of a sqlc query such as CreatePet")
		return
	}
	if !queryName.MatchString(e.Value.Value) {
		r.report(e.Value, RuleQuery, "query: %s is not the name of a sqlc query; write the one after \"-- name:\", such as CreatePet", quoted(e.Value))
		return
	}
	r.ext.Query, r.ext.QueryPos, r.ext.QueryLen = e.Value.Value, e.Value.Pos(), e.Value.Len()
}

// oneStatement refuses what needs a transaction around the statement.
func (r *reader) oneStatement() {
	if _, ok := r.ext.written["query"]; !ok {
		return
	}
	for _, field := range []struct {
		name string
		set  bool
		why  string
	}{
		{"keep-writes", r.ext.KeepWrites, "a query that was refused has written nothing"},
		{"isolation", r.ext.Isolation != "", "a single statement has no transaction of its own to set it for"},
		{"key.required", !r.ext.Key.Required, "the record is part of the statement"},
	} {
		if e, ok := r.ext.written[field.name]; ok && field.set {
			r.report(e.Key, RuleQuery, "%s can't be beside query: %s; remove one of them", field.name, field.why)
		}
	}
}

// Success is the status and the media type of the one success that an operation
// answers with. It is false if there are several, or if it isn't JSON.
func (d *Document) Success(o *Operation) (status int, media string, ok bool) {
	for _, e := range o.node.Get("responses").Entries {
		code, err := strconv.Atoi(e.Key.Value)
		if err != nil && e.Key.Value != "2XX" || code >= 300 || err == nil && code < 200 {
			continue
		}
		if status != 0 || err != nil {
			return 0, "", false
		}
		status = code
		response := d.reader().target(e.Value)
		bodies, other := jsonBodies(response)
		if len(bodies) != 1 || other != nil {
			return 0, "", false
		}
		media = response.Get("content").Entries[0].Key.Value
	}
	return status, media, status != 0
}
