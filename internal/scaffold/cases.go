package scaffold

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/idemgen/idemgen/internal/spec"
	"github.com/idemgen/idemgen/internal/tables"
	"github.com/idemgen/idemgen/internal/text"
)

// testCase is a request to an idempotent operation, and what comes of it.
type testCase struct {
	Operation, Method, Path string
	Header                  []header
	Body                    string
	Seed                    []string
	Status                  int
	Table, Location, Key    string
}

type header struct{ Name, Value string }

// newCase makes the case of an operation, or says why it can't.
func newCase(p *plan, derived *tables.Derivation, reads map[string]*plan) (*testCase, string) {
	c := &testCase{Operation: p.GoName, Method: p.Method, Status: http.StatusNotImplemented}
	values := map[string]string{} // of what refers to other rows, by source and name
	if p.kind == create {
		c.Status = p.status
		c.Table = p.table.Name
		s := seeder{derived: derived, done: map[string]string{}}
		for _, a := range p.args {
			if a.column.References != "" {
				values[a.source+" "+a.name] = s.row(a.column.References)
			}
		}
		c.Seed = s.inserts
		if read := reads[p.table.Name]; read != nil && len(read.PathParams) == 1 && read.args[0].column.Property != "" {
			c.Location, c.Key = strings.TrimSuffix(read.Path, "{"+read.PathParams[0].Name+"}"), read.args[0].column.Property
		}
	}
	why := c.body(p.Document, values)
	if why == "" {
		why = c.key(p.Source)
	}
	if why != "" {
		return nil, why
	}
	c.target(p, values)
	slices.SortFunc(c.Header, func(a, b header) int { return strings.Compare(a.Name, b.Name) })
	c.Header = slices.Compact(c.Header)
	return c, ""
}

// key adds the header with the idempotency key; one in the body is there already.
func (c *testCase) key(op *spec.Operation) string {
	k := op.Idempotent.Key
	if k.Pointers != nil {
		return ""
	}
	candidates := []string{"test-1", formats["uuid"], "01K3GQ2T9M4X7V8B6N5C3D2F1H", "key-of-a-test-0123456789", "1234567890", "abcdefghij"}
	for _, key := range candidates {
		long := key + strings.Repeat("0", max(0, k.MinLength-len(key)))
		if keyFits(k, long) {
			c.Header = append(c.Header, header{http.CanonicalHeaderKey(k.Header), long})
			return ""
		}
	}
	return "its key has a form that can't be guessed"
}

func keyFits(k spec.Key, key string) bool {
	switch k.Format {
	case "uuid":
		if key != formats["uuid"] {
			return false
		}
	case "ulid":
		if len(key) != 26 {
			return false
		}
	}
	if k.MaxLength > 0 && len(key) > k.MaxLength {
		return false
	}
	if k.Pattern == "" {
		return true
	}
	pattern, err := regexp.Compile(k.Pattern)
	return err == nil && pattern.MatchString(key)
}

// body makes the request body, JSON if the operation takes it.
func (c *testCase) body(op *openapi3.Operation, values map[string]string) (why string) {
	if op.RequestBody == nil || op.RequestBody.Value == nil {
		return ""
	}
	content := op.RequestBody.Value.Content
	for _, mediaType := range slices.Sorted(maps.Keys(content)) {
		if !isJSON(mediaType) || content[mediaType] == nil {
			continue
		}
		body := mediaExample(content[mediaType])
		if object, ok := body.(map[string]any); ok {
			for key, value := range values {
				if name, ok := strings.CutPrefix(key, tables.FromBody+" "); ok {
					object[name] = json.RawMessage(value)
				}
			}
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(body); err != nil {
			return "its body has no example that can be written as JSON"
		}
		c.Header = append(c.Header, header{"Content-Type", mediaType})
		c.Body = strings.TrimSuffix(b.String(), "\n")
		return ""
	}
	if form := content["application/x-www-form-urlencoded"]; form != nil {
		object, _ := mediaExample(form).(map[string]any)
		fields := url.Values{}
		for name, value := range object {
			fields.Set(name, fmt.Sprint(value))
		}
		c.Header = append(c.Header, header{"Content-Type", "application/x-www-form-urlencoded"})
		c.Body = fields.Encode()
		return ""
	}
	for _, mediaType := range slices.Sorted(maps.Keys(content)) {
		if plain, _, err := mime.ParseMediaType(mediaType); err == nil && !strings.HasPrefix(plain, "multipart/") && !strings.Contains(plain, "*") {
			c.Header = append(c.Header, header{"Content-Type", mediaType})
			c.Body = "example"
			return ""
		}
	}
	return "its body is of a type for which there is no example"
}

func isJSON(mediaType string) bool {
	plain, _, err := mime.ParseMediaType(mediaType)
	return err == nil && (plain == "application/json" || strings.HasSuffix(plain, "+json"))
}

// mediaExample is a body: the document's own example, as far as it is right.
func mediaExample(media *openapi3.MediaType) any {
	if media.Schema == nil || media.Schema.Value == nil {
		return map[string]any{}
	}
	return example(media.Schema)
}

// pathParts are the parameters of a path, and what is between them.
var pathParts = regexp.MustCompile(`\{[^{}]*\}|[^{}]+`)

// target makes the path and query, and adds the headers that must be there.
func (c *testCase) target(p *plan, values map[string]string) {
	query, segments := url.Values{}, map[string]string{}
	for _, param := range p.Parameters {
		if param.In != "path" && !param.Required {
			continue
		}
		value := parameterExample(param)
		if seeded, ok := values[tables.FromPath+" "+param.Name]; ok && param.In == "path" {
			value = seeded
			var text string
			if json.Unmarshal([]byte(seeded), &text) == nil {
				value = text
			}
		}
		switch param.In {
		case "path":
			segments["{"+param.Name+"}"] = url.PathEscape(value)
		case "query":
			query.Set(param.Name, value)
		case "header":
			name := http.CanonicalHeaderKey(param.Name)
			if !slices.ContainsFunc(c.Header, func(h header) bool { return h.Name == name }) {
				c.Header = append(c.Header, header{name, value})
			}
		case "cookie":
			c.Header = append(c.Header, header{"Cookie", param.Name + "=" + url.QueryEscape(value)})
		}
	}
	c.Path = ""
	for _, part := range pathParts.FindAllString(p.Path, -1) {
		if segment, ok := segments[part]; ok {
			c.Path += segment
		} else {
			c.Path += (&url.URL{Path: part}).EscapedPath()
		}
	}
	if len(query) > 0 {
		c.Path += "?" + query.Encode()
	}
}

// parameterExample is a parameter's value as text.
func parameterExample(param *openapi3.Parameter) string {
	schema := param.Schema
	for _, media := range param.Content {
		schema = media.Schema
	}
	value := param.Example
	if value == nil || schema == nil || schema.Value == nil || !fits(schema.Value, value) {
		value = example(schema)
	}
	for {
		list, ok := value.([]any)
		if !ok || len(list) == 0 {
			break
		}
		value = list[0]
	}
	if object, ok := value.(map[string]any); ok {
		text, err := json.Marshal(object)
		if err != nil {
			return ""
		}
		return string(text)
	}
	return text.OneLine(fmt.Sprint(value))
}
