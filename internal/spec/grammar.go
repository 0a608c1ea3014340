package spec

// shape says how an object's field holds other objects.
type shape int

const (
	one     shape = iota // the object itself
	list                 // a list of objects
	named                // a mapping whose keys the author chooses freely
	open                 // a mapping that takes x- extensions beside its names
	mapping              // a discriminator's mapping: strings that may be $refs
)

type child struct {
	shape  shape
	object string
}

// object is one of OpenAPI's objects, as far as a search for extensions and $refs
// needs it. What isn't listed is data (examples, defaults, enums): never searched.
type object struct {
	phrase string // completes "x-idempotent has no effect"
	fields map[string]child
	rest   *child // of all other fields but x- ones
	noRef  bool   // $ref is no reference here
}

// grammar merges 3.0 and 3.1. Names are for code; phrases for people.
var grammar = map[string]object{
	"document": {phrase: "on the document", noRef: true, fields: map[string]child{
		"info": {one, "info"}, "servers": {list, "server"}, "paths": {one, "paths"}, "webhooks": {named, "path item"},
		"components": {one, "components"}, "tags": {list, "tag"}, "externalDocs": {one, "external docs"},
	}},
	"info":          {phrase: "in info", noRef: true, fields: map[string]child{"contact": {one, "contact"}, "license": {one, "license"}}},
	"contact":       {phrase: "in contact", noRef: true},
	"license":       {phrase: "in license", noRef: true},
	"external docs": {phrase: "in externalDocs", noRef: true},
	"tag":           {phrase: "on a tag", noRef: true, fields: map[string]child{"externalDocs": {one, "external docs"}}},
	"server":        {phrase: "on a server", noRef: true, fields: map[string]child{"variables": {named, "variable"}}},
	"variable":      {phrase: "on a server variable", noRef: true},
	"paths":         {phrase: "on paths", noRef: true, rest: &child{one, "path item"}},
	"path item": {phrase: "on a path item", fields: map[string]child{
		"servers": {list, "server"}, "parameters": {list, "parameter"},
		"get": {one, "operation"}, "put": {one, "operation"}, "post": {one, "operation"}, "delete": {one, "operation"},
		"options": {one, "operation"}, "head": {one, "operation"}, "patch": {one, "operation"}, "trace": {one, "operation"},
	}},
	"operation": {phrase: "on this operation", noRef: true, fields: map[string]child{
		"externalDocs": {one, "external docs"}, "parameters": {list, "parameter"}, "requestBody": {one, "request body"},
		"responses": {one, "responses"}, "callbacks": {named, "callback"}, "servers": {list, "server"},
	}},
	"parameter": {phrase: "on a parameter", fields: map[string]child{
		"schema": {one, "schema"}, "content": {named, "media type"}, "examples": {named, "example"},
	}},
	"header": {phrase: "on a header", fields: map[string]child{
		"schema": {one, "schema"}, "content": {named, "media type"}, "examples": {named, "example"},
	}},
	"request body": {phrase: "in a request body", fields: map[string]child{"content": {named, "media type"}}},
	"media type": {phrase: "in a media type", noRef: true, fields: map[string]child{
		"schema": {one, "schema"}, "itemSchema": {one, "schema"}, "examples": {named, "example"}, "encoding": {named, "encoding"},
	}},
	"encoding":  {phrase: "in an encoding", noRef: true, fields: map[string]child{"headers": {named, "header"}}},
	"responses": {phrase: "on responses", noRef: true, rest: &child{one, "response"}},
	"response": {phrase: "in a response", fields: map[string]child{
		"headers": {named, "header"}, "content": {named, "media type"}, "links": {named, "link"},
	}},
	"callback": {phrase: "on a callback", rest: &child{one, "path item"}},
	"example":  {phrase: "on an example"},
	"link":     {phrase: "on a link", fields: map[string]child{"server": {one, "server"}}},
	"schema": {phrase: "in a schema", fields: map[string]child{
		"properties": {named, "schema"}, "patternProperties": {named, "schema"}, "dependentSchemas": {named, "schema"},
		"$defs": {named, "schema"}, "items": {one, "schema"}, "additionalProperties": {one, "schema"}, "not": {one, "schema"},
		"if": {one, "schema"}, "then": {one, "schema"}, "else": {one, "schema"}, "contains": {one, "schema"},
		"propertyNames": {one, "schema"}, "unevaluatedItems": {one, "schema"}, "unevaluatedProperties": {one, "schema"},
		"contentSchema": {one, "schema"}, "allOf": {list, "schema"}, "anyOf": {list, "schema"}, "oneOf": {list, "schema"},
		"prefixItems": {list, "schema"}, "discriminator": {one, "discriminator"}, "xml": {one, "xml"}, "externalDocs": {one, "external docs"},
	}},
	"discriminator":   {phrase: "in a discriminator", noRef: true, fields: map[string]child{"mapping": {mapping, "schema"}}},
	"xml":             {phrase: "in xml", noRef: true},
	"security scheme": {phrase: "on a security scheme", fields: map[string]child{"flows": {one, "flows"}}},
	"flows": {phrase: "in flows", noRef: true, fields: map[string]child{
		"implicit": {one, "flow"}, "password": {one, "flow"}, "clientCredentials": {one, "flow"}, "authorizationCode": {one, "flow"},
	}},
	"flow": {phrase: "in a flow", noRef: true},
	"components": {phrase: "in components", noRef: true, fields: map[string]child{
		"schemas": {open, "schema"}, "parameters": {open, "parameter"}, "headers": {named, "header"}, "requestBodies": {open, "request body"},
		"responses": {open, "response"}, "securitySchemes": {open, "security scheme"}, "examples": {open, "example"},
		"links": {open, "link"}, "callbacks": {open, "callback"}, "pathItems": {open, "path item"},
	}},
}
