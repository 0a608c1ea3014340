package scaffold

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/tables"
)

// queries writes the sqlc queries of the plans, by file.
func queries(all []*plan) map[string][]byte {
	texts := map[string][]string{}
	for _, p := range all {
		name := queryFile(p.file)
		switch p.kind {
		case create:
			texts[name] = append(texts[name], insertQuery(p))
		case get:
			texts[name] = append(texts[name], getQuery(p))
		case list:
			texts[name] = append(texts[name], listQuery(p))
		case todo:
		}
	}
	files := map[string][]byte{}
	for name, list := range texts {
		files[name] = []byte(strings.Join(list, "\n"))
	}
	return files
}

func queryFile(resource string) string { return "db/queries/" + resource + ".sql" }

func insertQuery(p *plan) string {
	if len(p.args) == 0 {
		return fmt.Sprintf("-- name: %s :one\nINSERT INTO %s DEFAULT VALUES\nRETURNING *;\n", p.query, p.table.Name)
	}
	var columns, values []string
	for _, a := range p.args {
		columns = append(columns, a.column.Name)
		value := "@" + a.column.Name
		if a.orDefault {
			value = fmt.Sprintf("coalesce(sqlc.narg(%s)::%s, %s)", a.column.Name, a.column.Type, a.column.Default)
		}
		values = append(values, value)
	}
	return fmt.Sprintf("-- name: %s :one\nINSERT INTO %s (%s)\nVALUES (%s)\nRETURNING *;\n",
		p.query, p.table.Name, listed(columns), listed(values))
}

// listed puts a long list on several lines.
func listed(items []string) string {
	if line := strings.Join(items, ", "); len(line) <= 80 {
		return line
	}
	return "\n    " + strings.Join(items, ",\n    ") + "\n"
}

func getQuery(p *plan) string {
	return fmt.Sprintf("-- name: %s :one\nSELECT * FROM %s\nWHERE %s;\n", p.query, p.table.Name, conditions(p))
}

func listQuery(p *plan) string {
	where := ""
	if c := conditions(p); c != "" {
		where = "WHERE " + c + "\n"
	}
	return fmt.Sprintf("-- name: %s :many\nSELECT * FROM %s\n%sORDER BY %s\nLIMIT @page_size;\n", p.query, p.table.Name, where, order(p.table))
}

func conditions(p *plan) string {
	var parts []string
	for _, a := range p.args {
		if a.column != nil {
			parts = append(parts, fmt.Sprintf("%s = @%s", a.column.Name, a.column.Name))
		}
	}
	return strings.Join(parts, " AND ")
}

// order is that in which rows were made, as far as it is known.
func order(t *tables.Table) string {
	i := slices.IndexFunc(t.Columns, func(c tables.Column) bool { return c.Type == "timestamptz" && c.Default == "now()" && c.NotNull })
	if i < 0 {
		return t.Key
	}
	return t.Columns[i].Name + ", " + t.Key
}
