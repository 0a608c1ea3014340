package enrich

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/idemgen/idemgen/internal/spec"
)

const problemType = "application/problem+json"

// codes are all that the runtime's problems have. A test holds them together
// with its constants.
var codes = []string{
	"key-missing", "key-invalid", "key-reused", "in-flight", "body-too-large", "body-invalid",
	"request-invalid", "unauthenticated", "store-unavailable", "internal",
}

// problem is an answer of the runtime's own.
type problem struct {
	status string
	name   string // of its component; "" when each operation has its own
	codes  []string
	words  string // the description
	beside string // what a response that is declared already is told to be, too; may be ""
	retry  bool   // with Retry-After
}

// problems are the answers that the runtime may give for an operation. The key is
// claimed, and the body read, also where none is declared: so there is a 413 and a 422
// for each of them.
func problems(ext *spec.Extension, params, shared, body *yaml.Node) []problem {
	list := []problem{
		badRequest(ext, params != nil || shared != nil || body != nil),
		{
			status: "409", name: "IdempotencyInFlight", codes: []string{"in-flight"}, retry: true,
			words:  "A request with this idempotency key is being processed (`in-flight`). Retry it later, with the same key.",
			beside: "Or a request with this idempotency key is being processed (`in-flight`): retry it later, with the same key.",
		},
		{
			status: "413", name: "IdempotencyBodyTooLarge", codes: []string{"body-too-large"},
			words:  "The body is larger than the service takes (`body-too-large`).",
			beside: "Or the body is larger than the service takes (`body-too-large`).",
		},
		{
			status: "422", name: "IdempotencyKeyReused", codes: []string{"key-reused"},
			words:  "This idempotency key was used with another request (`key-reused`). A new request needs a new key.",
			beside: "Or this idempotency key was used with another request (`key-reused`): a new request needs a new key.",
		},
		{
			status: "500", name: "IdempotencyFailed", codes: []string{"internal"},
			words: "The request failed, and nothing of it was kept (`internal`). It can be retried with the same key.",
		},
		{
			status: "503", name: "IdempotencyStoreUnavailable", codes: []string{"store-unavailable"}, retry: true,
			words:  "It isn't known whether this was done, or it can't be done now (`store-unavailable`). Retry it later, with the same key: it is done once.",
			beside: "Or it isn't known whether this was done (`store-unavailable`): retry it later, with the same key.",
		},
	}
	if ext.Scope.Principal {
		list = slices.Insert(list, 1, problem{
			status: "401", name: "IdempotencyUnauthenticated", codes: []string{"unauthenticated"},
			words: "The caller isn't known (`unauthenticated`).",
		})
	}
	return list
}

// badRequest is the 400, whose codes depend on what the operation takes.
func badRequest(ext *spec.Extension, decodes bool) problem {
	p := problem{status: "400", codes: []string{"key-invalid", "body-invalid"}}
	words := "he idempotency key can't be used (`key-invalid`), or the body can't be read (`body-invalid`)"
	if ext.Key.Required {
		p.codes = append(p.codes, "key-missing")
		words = "he idempotency key is missing (`key-missing`) or can't be used (`key-invalid`), or the body can't be read (`body-invalid`)"
	}
	if decodes || len(ext.Scope.Headers) > 0 {
		p.codes = append(p.codes, "request-invalid")
		words += ", or the request can't be decoded (`request-invalid`)"
	}
	p.words, p.beside = "T"+words+".", "Or t"+words+"."
	return p
}

// response is the problem as a response of its own.
func (e *enricher) response(p problem) *yaml.Node {
	n := object("description", p.words)
	if p.retry {
		put(n, "headers", object("Retry-After", retryAfter(true)))
	}
	put(n, "content", object(problemType, object("schema", e.problemSchema())))
	return n
}

func retryAfter(required bool) *yaml.Node {
	n := object("description", "In how many seconds to retry.", "schema", line("type", "integer", "minimum", 1))
	if required {
		insertAfter(n, []string{"description"}, "required", value(true))
	}
	return n
}

// problemSchema refers to the shape of the runtime's problems.
func (e *enricher) problemSchema() *yaml.Node {
	return e.component("schemas", "IdempotencyProblem", func() *yaml.Node {
		return object(
			"type", "object",
			"description", "What went wrong, as of RFC 9457.",
			"required", texts("title", "status", "detail", "code"),
			"properties", object(
				"type", object("type", "string", "format", "uri-reference", "description", "Left out it is about:blank."),
				"title", object("type", "string", "description", "The status in words."),
				"status", object("type", "integer", "description", "The HTTP status."),
				"detail", object("type", "string", "description", "What is wrong and what helps, for people."),
				"code", object("type", "string", "enum", texts(codes...), "description", "For programs. It doesn't change."),
			),
		)
	})
}
