package enrich

import (
	"mime"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/idemgen/idemgen/internal/spec"
)

// responses declares what the runtime answers, beside what the spec has.
func (e *enricher) responses(op *spec.Operation, node *yaml.Node, list []problem) {
	responses := section(node, "responses")
	var ours []string
	for _, p := range list {
		if from := declaredKey(responses, p.status); from != "" {
			e.beside(responses, from, p)
			continue
		}
		ours = append(ours, p.status)
		if p.name == "" {
			insertStatus(responses, p.status, e.response(p))
		} else {
			insertStatus(responses, p.status, e.component("responses", p.name, func() *yaml.Node { return e.response(p) }))
		}
	}
	for k, v := range entries(responses) {
		// What the runtime alone answers with is never stored.
		if isStatus(k.Value) && !slices.Contains(ours, k.Value) && op.Idempotent.MayStore(k.Value) {
			put(responses, k.Value, e.replayable(v))
		}
	}
}

// declaredKey is where a status is declared: by itself, in its class, or as
// default.
func declaredKey(responses *yaml.Node, status string) string {
	for _, key := range statusKeys(status) {
		if index(responses, key) >= 0 {
			return key
		}
	}
	return ""
}

// insertStatus adds a response in the order of the statuses, in the quotes of the
// others.
func insertStatus(responses *yaml.Node, status string, response *yaml.Node) {
	at, style := 0, yaml.Style(0)
	for k := range entries(responses) {
		if !isStatus(k.Value) || k.Value > status {
			break
		}
		style = k.Style
		at += 2
	}
	insert(responses, at, status, response)
	responses.Content[at].Style = style
}

// beside adds a problem to the response that is declared under the key from. A
// class or default stays what it is, for the other statuses.
func (e *enricher) beside(responses *yaml.Node, from string, p problem) {
	declared := get(responses, from)
	response := e.resolved(declared, "response")
	if content := get(response, "content"); content != nil {
		changed := e.addContent(e.follow(place{"", declared}), content, p)
		if !changed && p.beside == "" {
			return
		}
	} else if p.beside == "" {
		return // the body isn't told, so it may be ours
	}
	relax(e, response)
	if headers := get(response, "headers"); p.retry && getFold(headers, "Retry-After") == nil {
		put(headersOf(response), "Retry-After", e.component("headers", "IdempotencyRetryAfter", func() *yaml.Node { return retryAfter(false) }))
	}
	if p.beside != "" {
		switch i := index(response, "description"); {
		case i < 0:
			insert(response, 0, "description", text(p.words))
		case strings.TrimSpace(response.Content[i+1].Value) == "":
			response.Content[i+1] = text(p.words)
		default:
			response.Content[i+1] = appended(response.Content[i+1], p.beside)
		}
	}
	if from == p.status {
		put(responses, from, response)
	} else {
		insertStatus(responses, p.status, response)
	}
}

// addContent adds the problem to a response's media types. Where they have
// problems already, of a schema that doesn't take ours, there are two kinds.
func (e *enricher) addContent(declared place, content *yaml.Node, p problem) (changed bool) {
	for k, media := range entries(content) {
		if name, _, _ := mime.ParseMediaType(k.Value); name != problemType {
			continue
		}
		schema := get(media, "schema")
		was := place{declared.file, get(get(get(declared.node, "content"), k.Value), "schema")}
		if schema == nil || e.takes(was, p.codes) {
			return false
		}
		put(media, "schema", object("anyOf", list(schema, e.problemSchema())))
		return true
	}
	put(content, problemType, object("schema", e.problemSchema()))
	return true
}

// relax makes the headers of a declared response optional: the runtime's problem
// doesn't have them.
func relax(e *enricher, response *yaml.Node) {
	headers := get(response, "headers")
	for k, v := range entries(headers) {
		if isTrue(get(e.follow(place{"", v}).node, "required")) {
			header := e.resolved(v, "header")
			put(header, "required", value(false))
			put(headers, k.Value, header)
		}
	}
}

// replayable adds the headers of a replay to a response.
func (e *enricher) replayable(declared *yaml.Node) *yaml.Node {
	response := e.resolved(declared, "response")
	headers := headersOf(response)
	if getFold(headers, "Idempotency-Replayed") == nil {
		put(headers, "Idempotency-Replayed", e.component("headers", "IdempotencyReplayed", func() *yaml.Node {
			return object("description", "True on a replay: the answer to an earlier request with this idempotency key. Else it isn't there.",
				"schema", line("type", "boolean"))
		}))
	}
	if get(response, "content") != nil && getFold(headers, "Idempotency-Replay") == nil {
		put(headers, "Idempotency-Replay", e.component("headers", "IdempotencyReplay", func() *yaml.Node {
			return object("description", "There on a replay whose body was too large to be kept: the body is empty then.",
				"schema", object("type", "string", "enum", texts("omitted")))
		}))
	}
	return response
}

func headersOf(response *yaml.Node) *yaml.Node {
	if headers := get(response, "headers"); headers != nil && headers.Kind == yaml.MappingNode {
		return section(response, "headers")
	}
	headers := object()
	if i := index(response, "headers"); i >= 0 { // null
		response.Content[i+1] = headers
	} else {
		insertBefore(response, []string{"content", "links"}, "headers", headers)
	}
	return headers
}

// takes reports whether a schema surely takes the runtime's problems as they
// are. It knows what schemas of RFC 9457 are made of, and says no to the rest.
func (e *enricher) takes(schema place, codes []string) bool {
	schema = e.follow(schema)
	var properties, required, closed *yaml.Node
	for k, v := range entries(schema.node) {
		switch k.Value {
		case "type":
			if v.Value != "object" {
				return false
			}
		case "properties":
			properties = v
		case "required":
			required = v
		case "additionalProperties":
			closed = v
		case "title", "description", "example", "examples", "externalDocs", "deprecated":
		default:
			if !strings.HasPrefix(k.Value, "x-") {
				return false
			}
		}
	}
	always := []string{"title", "status", "detail", "code"}
	if required != nil {
		for _, name := range required.Content {
			if !slices.Contains(always, name.Value) {
				return false
			}
		}
	}
	if closed != nil && !isTrue(closed) {
		for _, name := range append(always, "type") {
			if index(properties, name) < 0 {
				return false
			}
		}
	}
	for _, name := range append(always, "type") {
		if p := get(properties, name); p != nil && !e.takesMember(place{schema.file, p}, name, codes) {
			return false
		}
	}
	return true
}

func (e *enricher) takesMember(schema place, name string, codes []string) bool {
	types := []string{"string"}
	if name == "status" {
		types = []string{"integer", "number"}
	}
	for k, v := range entries(e.follow(schema).node) {
		switch k.Value {
		case "type":
			if !slices.Contains(types, v.Value) {
				return false
			}
		case "format":
			known := name == "type" && v.Value == "uri-reference" || name == "status" && strings.HasPrefix(v.Value, "int")
			if !known {
				return false
			}
		case "enum":
			if name != "code" || v.Kind != yaml.SequenceNode || !containsAll(v, codes) {
				return false
			}
		case "title", "description", "example", "examples", "default", "deprecated", "nullable":
		default:
			if !strings.HasPrefix(k.Value, "x-") {
				return false
			}
		}
	}
	return true
}

func containsAll(enum *yaml.Node, codes []string) bool {
	for _, code := range codes {
		if !slices.ContainsFunc(enum.Content, func(n *yaml.Node) bool { return n.Value == code }) {
			return false
		}
	}
	return true
}
