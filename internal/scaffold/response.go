package scaffold

import (
	"fmt"
	"go/types"
	"regexp"
	"strconv"
	"strings"
)

var jsonAnswer = regexp.MustCompile(`^(20[0-9])\w*JSONResponse$`)

// answer writes the response to return, and chooses the function that makes it
// of a row.
func (a *author) answer(h *handler, p *plan, many bool) (code, why string) {
	response := a.response(p)
	if response == nil {
		return "", "its answer has no JSON that is known in Go"
	}
	row := a.rowType(p.query)
	if row == nil {
		return "", "sqlc's method doesn't return a row"
	}
	w := wrapper{author: a, p: p, h: h, many: many}
	before := h.Notes
	f := w.wrap(response, "answer")
	if f.data == nil {
		return "", "its answer has no shape that a row fits into"
	}
	made, why := a.rowConverter(row, f, p.table)
	if why != "" {
		return "", why
	}
	for column, from := range a.toJSON {
		if to := made.fromJSON[column]; to != nil && !fitsJSON(from, to) {
			return "", fmt.Sprintf("what its request has for the column %s isn't what its answer has", column)
		}
	}
	h.Convert, h.Elem, h.ConvertFails = made.Name, made.Type, len(made.JSON) > 0
	if f.assign != "" {
		h.Assign = f.assign
	}
	if !many && !h.ConvertFails {
		h.Notes = before // they come again
		f = w.wrap(response, made.Name+"(row)")
	}
	return f.code, ""
}

// response is the type of the JSON answer that says success: the first status
// that there is.
func (a *author) response(p *plan) types.Type {
	var best string
	for _, name := range a.api.Scope().Names() {
		rest, ok := strings.CutPrefix(name, p.GoName)
		if ok && jsonAnswer.MatchString(rest) && (best == "" || status(rest, p) < status(best, p)) {
			best = rest
		}
	}
	if best == "" {
		return nil
	}
	p.status, _ = strconv.Atoi(best[:3]) // jsonAnswer matched
	return a.api.Type(p.GoName + best)
}

// status orders answers: a create's is its 201, else 200, else 202.
func status(suffix string, p *plan) int {
	n, _ := strconv.Atoi(suffix[:3]) // jsonAnswer matched
	if n == 201 && p.kind == create {
		return 0
	}
	return n
}

func (a *author) rowType(query string) types.Type {
	method := a.method(query)
	if method == nil || method.Results().Len() != 2 {
		return nil
	}
	row := method.Results().At(0).Type()
	if s, ok := row.(*types.Slice); ok {
		row = s.Elem()
	}
	if structOf(row) == nil {
		return nil
	}
	return row
}
