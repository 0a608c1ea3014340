package config

import "github.com/idemgen/idemgen/internal/schema"

// properties are the fields for an editor: each of the table fields, in its
// order, in the words of docs/reference/config.md. A test holds all three
// together.
var properties = []schema.Property{
	{Name: "version", Description: "The version of this format: 1.", Schema: schema.Schema{Const: 1}},
	{Name: "spec", Description: "The OpenAPI document: 3.0 or 3.1, YAML or JSON. Its $refs may name local files, never the network.", Schema: anyPath},
	{Name: "overlays", Description: "OpenAPI Overlay documents that are applied to the spec, in this order. See overlays.", Schema: schema.Schema{Type: list, Items: &anyPath, Unique: true}},
	{Name: "api.dir", Description: "The folder of the package with the server and the handlers' interface.", Schema: insidePath("api")},
	{Name: "api.package", Description: "Its name.", Schema: goPackage},
	{Name: "api.server", Description: "The router; std-http is the only one so far.", Schema: schema.Schema{Enum: []string{"std-http"}, Default: "std-http"}},
	{Name: "oapi", Description: "Options of oapi-codegen. See below.", Schema: schema.Schema{Type: schema.Types{"object"}}},
	{Name: "store.dir", Description: "The folder of the package with the record store.", Schema: insidePath("internal/idemdb")},
	{Name: "store.package", Description: "Its name.", Schema: goPackage},
	{Name: "store.table", Description: "The table of the records. Another name is a migration that renames it.",
		Schema: schema.Schema{Type: text, Pattern: tableName.String(), MaxLength: maxTable, Default: DefaultTable}},
	{Name: "db.migrations", Description: "The folder of goose migrations. A new one takes the next number, in the way the folder numbers: 00007, 007 or by time.", Schema: insidePath("db/migrations")},
	{Name: "db.queries", Description: "The folder that gets idempotency.sql.", Schema: insidePath("db/queries")},
	{Name: "sqlc.config", Description: "The service's own sqlc configuration, version 1 or 2.", Schema: insidePath("")},
	{Name: "sqlc.run", Description: "Run it too, so that one idemgen generate does everything. Name its query files one by one if they are in db.queries, or the records' queries are generated twice.",
		Schema: schema.Schema{Type: schema.Types{"boolean"}, Default: false}},
	{Name: "cleanup.pg_cron", Description: "When pg_cron deletes expired records: five fields as in a crontab, or N seconds (1 to 59, pg_cron 1.5 or newer). See cleanup.",
		Schema: schema.Schema{Type: text, Examples: []any{"*/5 * * * *", "30 seconds"}}},
}

var (
	text = schema.Types{"string"}
	list = schema.Types{"array"}

	anyPath   = pathSchema(notPath)
	goPackage = schema.Schema{Type: text, Pattern: `^[\p{L}_][\p{L}\p{Nd}_]*$`}
)

// notPath finds what is absolute, a URL or not a path at all; outside, what
// leaves the folder.
const (
	notPath = `^/|^[A-Za-z]:|://|\\|^\s|\s$`
	outside = `|^\.\.(/|$)`
)

func pathSchema(not string) schema.Schema {
	return schema.Schema{Type: text, MinLength: 1, Not: &schema.Schema{Pattern: not}}
}

func insidePath(byDefault string) schema.Schema {
	s := pathSchema(notPath + outside)
	if byDefault != "" {
		s.Default = byDefault
	}
	return s
}

// Schema is the JSON Schema of idemgen.yaml. Load is stricter: a schema doesn't
// know, for instance, which words are reserved.
func Schema() schema.Schema {
	s := schema.Document(properties)
	s.Schema, s.ID, s.Title = schema.Draft, "urn:idemgen:config:1", "idemgen.yaml"
	s.Description = "The configuration of idemgen, version 1. Paths are relative to the file."
	s.Required = []string{"version", "spec"}
	return s
}
