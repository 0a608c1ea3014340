package spec

import (
	"strings"

	"github.com/idemgen/idemgen/internal/schema"
)

// properties are the fields for an editor: each of the table fields that is
// supported, in its order, in the words of docs/reference/extension.md. A test
// holds all three together.
var properties = []schema.Property{
	{Name: "name", Description: "The identity under which records are kept. Set it to the old operationId when you rename an operation: retries of requests from before the deploy then still find their answers. Two operations can't share one.",
		Schema: schema.Schema{Type: schemaText, Pattern: identity.String()}},
	{Name: "key.header", Description: "The header that carries the key. Headers with a meaning of their own, like Authorization, can't.",
		Schema: schema.Schema{Type: schemaText, Pattern: token.String(), MaxLength: maxHeader, Default: "Idempotency-Key"}},
	{Name: "key.pointer", Description: "The value in the request body that is the key. See keys in the body.", Schema: schemaPointer},
	{Name: "key.natural", Description: "The values in the request body that together are the key.", Schema: schemaList(schemaPointer)},
	{Name: "key.required", Description: "Without a key: 400 if it is required; else the request runs in a transaction, but without a record, and each retry runs again.",
		Schema: schema.Schema{Type: schemaBoolean, Default: true}},
	{Name: "key.format", Description: "A syntax that is checked before anything else. Every key has 1-255 printable ASCII characters.",
		Schema: schema.Schema{Enum: keyFormats, Default: "opaque"}},
	{Name: "key.minLength", Description: "How long a key is, in characters.", Schema: schemaKeyLength(1)},
	{Name: "key.maxLength", Description: "How long a key is, in characters.", Schema: schemaKeyLength(maxKey)},
	{Name: "key.pattern", Description: "Must match somewhere in the key, as in JSON Schema: anchor it with ^ and $. The syntax is that of Go (RE2), which has no lookaround and no back references.",
		Schema: schema.Schema{Type: schemaText, MinLength: 1}},
	{Name: "scope", Description: "Who shares the keys. See scope.",
		Schema: schema.Schema{AnyOf: append(schemaScope, schemaList(schema.Schema{AnyOf: schemaScope}))}},
	{Name: "fingerprint.include", Description: "The only parts of the body that make two requests differ.", Schema: schemaList(schemaPointer)},
	{Name: "fingerprint.exclude", Description: "The parts of the body that don't. Not beside include.", Schema: schemaList(schemaPointer)},
	{Name: "fingerprint.headers", Description: "Headers that make two requests differ. Clients change many of theirs at each retry.",
		Schema: schemaList(schema.Schema{Type: schemaText, Pattern: token.String(), MaxLength: maxHeader})},
	{Name: "ttl", Description: "How long the answer is kept, from the beginning of the request, by the database's clock.", Schema: schemaDuration("24h", "P3D")},
	{Name: "wait", Description: "How long a duplicate waits for the request that is in flight, before it gets 409.", Schema: schemaDuration("0s", "2s")},
	{Name: "store", Description: "The answers that are kept for the retries. After any other the key is free. It replaces the default, and has to have a success status. A 5XX says that the request wasn't done, so it can't be stored.",
		Schema: schemaList(schema.Schema{AnyOf: []schema.Schema{
			{Type: schemaText, Pattern: `^([2-4][Xx]{2}|[2-4][0-9]{2})$`},
			{Type: schema.Types{"integer"}, Minimum: 200, Maximum: 499},
		}})},
	{Name: "keep-writes", Description: "Commit what the handler wrote also when a 4XX is stored.", Schema: schema.Schema{Type: schemaBoolean, Default: false}},
	{Name: "isolation", Description: "The isolation level of the transaction.", Schema: schema.Schema{Enum: isolationLevels}},
	{Name: "query", Description: "The query that is the whole business write: it and the record become one statement.",
		Schema: schema.Schema{Type: schemaText, Pattern: queryName.String()}},
}

var (
	schemaText    = schema.Types{"string"}
	schemaBoolean = schema.Types{"boolean"}

	schemaPointer = schema.Schema{Type: schemaText, Pattern: `^/([^~]|~[01])*$`}
	schemaScope   = []schema.Schema{
		{Enum: []string{"principal", "public"}},
		{Type: schemaText, Pattern: "^path:.|^header:" + strings.TrimPrefix(token.String(), "^")},
	}
)

func schemaList(item schema.Schema) schema.Schema {
	return schema.Schema{Type: schema.Types{"array"}, Items: &item, MinItems: 1}
}

func schemaKeyLength(byDefault int) schema.Schema {
	return schema.Schema{Type: schema.Types{"integer"}, Minimum: 1, Maximum: maxKey, Default: byDefault}
}

func schemaDuration(byDefault, example string) schema.Schema {
	return schema.Schema{Type: schemaText, Pattern: goOrISO, Default: byDefault, Examples: []any{example}}
}

// goOrISO takes the syntax of both kinds of durations.
const goOrISO = `^\+?(0|([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$|^P([0-9]+W)?([0-9]+D)?(T([0-9]+H)?([0-9]+M)?([0-9]+(\.[0-9]{1,9})?S)?)?$`

// ExtensionSchema is the JSON Schema of x-idempotent. Load is stricter: it also knows the
// operation.
func ExtensionSchema() schema.Schema {
	s := schema.Document(properties)
	s.Schema, s.ID, s.Title = schema.Draft, "urn:idemgen:x-idempotent:1", "x-idempotent"
	s.Description = "Makes an operation safe to retry: true or {} with the defaults, false to decline it, or a mapping of fields."
	s.Type = schema.Types{"boolean", "object"}
	return s
}
