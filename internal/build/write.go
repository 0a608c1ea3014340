package build

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/ir"
	"github.com/idemgen/idemgen/internal/oapi"
	"github.com/idemgen/idemgen/internal/spec"
	"github.com/idemgen/idemgen/internal/sqlc"
	"github.com/idemgen/idemgen/internal/text"
)

// writer makes one statement of an operation's query and its record.
type writer struct {
	in      Input
	def     *oapi.Operation
	source  *spec.Operation
	diags   *diag.Set
	imports map[string]string // path by name
}

func (w *writer) refuse(format string, args ...any) {
	ext := w.source.Idempotent
	w.diags.Addf(ext.QueryPos, ext.QueryLen, spec.RuleQuery, "query: "+format, args...)
}

// write is nil if it was refused.
func (w *writer) write() *ir.Write {
	status, media, ok := w.in.Spec.Success(w.source)
	answer := w.in.Spec.Answer(w.source)
	if !ok || answer == nil {
		w.refuse("the operation must have one success answer, with a status and JSON of a known schema: the statement builds it")
		return nil
	}
	query := w.query()
	if query == nil {
		return nil
	}
	body := w.body(query, answer)
	if body == nil {
		return nil
	}
	sql := "-- name: " + w.def.GoName + "\n" + statement(query, w.in.SQL.Table, body)
	write := &ir.Write{
		Type:   w.def.GoName + "Write",
		Params: query.ParamsType,
		Query:  query.Package + "." + query.Method,
		Const:  text.LowerFirst(w.def.GoName) + "SQL",
		SQL:    literal(sql),
		Status: status,
		Media:  strconv.Quote(media),
		Key:    strconv.Quote(w.in.SQL.Table + "_pkey"),
	}
	for _, field := range query.Args {
		if field != "" {
			field = "." + field
		}
		write.Args = append(write.Args, "write.Params"+field)
	}
	w.imports = query.Imports
	if strings.HasPrefix(query.ParamsType, query.Package+".") {
		w.imports = map[string]string{query.Package: path.Join(w.in.Module, query.Dir)}
	}
	return write
}

// query finds the query that is named, and checks that it can be a part of a
// larger statement.
func (w *writer) query() *sqlc.Query {
	name := w.source.Idempotent.Query
	if w.in.Queries == nil {
		w.refuse("the query is found by running your sqlc; set sqlc.config and sqlc.run: true in the configuration")
		return nil
	}
	found, err := sqlc.FindQueries(w.in.Queries, name)
	switch {
	case err != nil:
		w.refuse("%s", err)
	case len(found) == 0:
		w.refuse("sqlc has made no query %q that returns one row; write one with \"-- name: %s :one\" and RETURNING", name, name)
	case len(found) > 1:
		w.refuse("%q is in the packages %s and %s; give it another name in one of them", name, found[0].Dir, found[1].Dir)
	case !writes.MatchString(unnamed(&found[0])):
		w.refuse("%q isn't an INSERT, UPDATE or DELETE; what begins otherwise can't be a part of the statement: write it in a handler, with the transaction", name)
	default:
		return &found[0]
	}
	return nil
}

// asWrite makes the method one that names what to write, instead of writing it.
func asWrite(op *ir.Operation) {
	op.HasTx, op.Result = false, op.Contract.Write.Type
	op.Comment[len(op.Comment)-1] = "The query " + op.Contract.Write.Query + " and the record of its answer are one statement."
}

var (
	nameLine = regexp.MustCompile(`^-- name: [^\n]*\n`)
	writes   = regexp.MustCompile(`(?i)^\s*(insert|update|delete)\s`)
)

// unnamed is the query without the line that names it.
func unnamed(q *sqlc.Query) string { return nameLine.ReplaceAllString(q.SQL, "") }

// statement puts the query and the record's insert together. What the query
// returns has names of our own, by place.
func statement(q *sqlc.Query, table string, body []string) string {
	columns := make([]string, len(q.Columns))
	for i := range columns {
		columns[i] = column(i)
	}
	n := len(q.Args)
	return fmt.Sprintf(`WITH written (%s) AS (
%s
), answer AS (
	SELECT convert_to('{' || substr(%s, 2) || E'}\n', 'UTF8') AS body
	FROM written
), record AS (
	INSERT INTO %s (id, expires_at, status, fingerprint, header, body)
	SELECT $%d::uuid, now() + $%d::interval, $%d::smallint, $%d::bytea, $%d::bytea,
		CASE WHEN octet_length(body) <= $%d::bigint THEN body END
	FROM answer
)
SELECT body FROM answer`, strings.Join(columns, ", "), strings.TrimSpace(unnamed(q)), strings.Join(body, "\n\t\t|| "), table,
		n+1, n+2, n+3, n+4, n+5, n+6)
}

func column(i int) string { return "c" + strconv.Itoa(i+1) }

// body are the parts of the answer's JSON, as SQL: the properties in the order in
// which oapi-codegen's types have them, each with a comma in front.
func (w *writer) body(q *sqlc.Query, answer *spec.Shape) (parts []string) {
	properties := answer.Properties()
	if !slices.Equal(answer.Types(), []string{"object"}) || len(properties) == 0 {
		w.refuse("the answer must be an object with properties: the statement builds it from columns")
		return nil
	}
	slices.SortFunc(properties, func(a, b spec.Property) int { return strings.Compare(a.Name, b.Name) })
	for _, p := range properties {
		if p.Shape.WriteOnly() {
			continue
		}
		i := slices.IndexFunc(q.Columns, func(c sqlc.Column) bool { return plain(c.GoName) == plain(p.Name) })
		switch {
		case i >= 0:
			value, problem := jsonValue(i, q.Columns[i].GoType, p)
			if problem != "" {
				w.refuse("%s returns %q %s", q.Method, p.Name, problem)
				return nil
			}
			parts = append(parts, value)
		case p.Required:
			w.refuse("%s doesn't return %q, which the answer requires; add it to RETURNING, AS %s", q.Method, p.Name, p.Name)
			return nil
		}
	}
	if parts == nil {
		w.refuse("%s returns nothing that the answer has", q.Method)
	}
	return parts
}

// plain is a name as properties and columns have it in common.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}
