package spec

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/idemgen/idemgen/internal/diag"
)

// report turns one of kin-openapi's errors into a diagnostic at the best position
// that the error allows for: its origin, the $ref or field that its text
// names, the path, operation or component that it is wrapped in.
func (d *Document) report(w *walker, err error, diags *diag.Set) {
	c := unwrap(err)
	pos, length, ok := d.originPos(c)
	if ok && pos.Line > 0 {
		c.message = c.leaf.Error() // the position says where; one problem, one message
	} else if !ok {
		pos, length, ok = w.textPos(err.Error())
	}
	if !ok {
		pos, length, _ = d.scopePos(c)
	}
	diags.Addf(pos, length, RuleInvalid, "%s", tidy(c.message))
}

// unwrapped is what the chain of an error tells.
type unwrapped struct {
	scope   []string // keys from the root to what the wrappers name
	message string   // without those wrappers
	leaf    error    // the deepest error that has an origin
	origin  *openapi3.Origin
}

var sections = map[string]string{
	"schema": "schemas", "parameter": "parameters", "header": "headers", "request body": "requestBodies", "response": "responses",
	"security scheme": "securitySchemes", "example": "examples", "link": "links", "callback": "callbacks",
}

func unwrap(err error) unwrapped {
	c := unwrapped{message: err.Error()}
	for e := err; e != nil; e = errors.Unwrap(e) {
		switch e := e.(type) {
		case *openapi3.SectionValidationError:
			section := e.Section
			if section == "external docs" {
				section = "externalDocs"
			}
			c.scope, c.message = []string{section}, section+": "+e.Cause.Error()
		case *openapi3.PathValidationError:
			c.scope, c.message = []string{"paths", e.Path}, fmt.Sprintf("%s: %v", e.Path, e.Cause)
		case *openapi3.OperationValidationError:
			if len(c.scope) == 2 && c.scope[0] == "paths" {
				c.message = fmt.Sprintf("%s %s: %v", e.Method, c.scope[1], e.Cause)
			}
			c.scope = append(c.scope, strings.ToLower(e.Method))
		case *openapi3.WebhookValidationError:
			c.scope = []string{"webhooks", e.Name}
		case *openapi3.ComponentValidationError:
			if s := sections[e.Section]; s != "" {
				c.scope = []string{"components", s, e.Name}
			}
		}
		if o := originOf(e); o != nil {
			c.origin, c.leaf = o, e
		}
	}
	return c
}

// originOf reads the Origin field, which most of kin-openapi's error types have but
// share no interface for.
func originOf(err error) *openapi3.Origin {
	v := reflect.Indirect(reflect.ValueOf(err))
	if v.Kind() != reflect.Struct {
		return nil
	}
	f := v.FieldByName("Origin")
	if !f.IsValid() || !f.CanInterface() {
		return nil
	}
	o, _ := f.Interface().(*openapi3.Origin)
	return o
}

func (d *Document) originPos(c unwrapped) (diag.Pos, int, bool) {
	l, ok := d.object(c.origin)
	if !ok {
		return diag.Pos{}, 0, false
	}
	for _, name := range fieldsOf(c.leaf) {
		if e := l.value.Entry(name); e != nil {
			pos, length := place(e.Key, e.Value)
			if isFieldError(c.leaf) {
				pos, length = e.Key.Pos(), e.Key.Len()
			}
			return pos, length, true
		}
	}
	if l.key == nil && l.value == d.root {
		return diag.Pos{File: d.File}, 0, true // about the document as a whole
	}
	pos, length := place(l.key, l.value)
	return pos, length, true
}

// object finds the mapping that an origin is of. One that is an item of a list has
// its own first key for a key; its line is the one before.
func (d *Document) object(o *openapi3.Origin) (line, bool) {
	if o == nil || o.Key == nil {
		return line{}, false
	}
	loc := *o.Key
	for _, f := range o.Fields {
		if f.Line == loc.Line {
			loc.Line--
			break
		}
	}
	return d.line(loc)
}

// isFieldError tells errors about a field that shouldn't be there from those about its value.
func isFieldError(err error) bool {
	switch err.(type) {
	case *openapi3.ForbiddenFieldError, *openapi3.MutuallyExclusiveFieldsError, *openapi3.PathMustStartWithSlashError, *openapi3.ConflictingPathsError:
		return true
	}
	return false
}

// fieldsOf names the fields that an error is about, below its origin.
func fieldsOf(err error) []string {
	switch e := err.(type) {
	case *openapi3.ForbiddenFieldError:
		return []string{e.Field}
	case *openapi3.SchemaTypeError, *openapi3.InvalidSecuritySchemeTypeError:
		return []string{"type"}
	case *openapi3.InvalidParameterInError, *openapi3.APIKeyInInvalidError:
		return []string{"in"}
	case *openapi3.UnresolvedRefError:
		return []string{"$ref"}
	case *openapi3.ServerURLTemplateError:
		return []string{"url"}
	case *openapi3.DuplicateRequiredFieldError:
		return []string{"required"}
	case *openapi3.PathMustStartWithSlashError:
		return []string{e.Path}
	case *openapi3.DuplicateParameterError:
		return []string{"name"}
	case *openapi3.InvalidSerializationMethodError:
		return []string{"style", "explode"}
	}
	return nil
}

// scopePos walks down to what the wrappers name, as far as it goes.
func (d *Document) scopePos(c unwrapped) (diag.Pos, int, bool) {
	for n := len(c.scope); n > 0; n-- {
		if pos, length, ok := d.Find(c.scope[:n]...); ok {
			return pos, length, true
		}
	}
	return diag.Pos{File: d.File}, 0, false
}
