package spec

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/idemgen/idemgen/internal/diag"
)

// OpenAPI returns a fresh kin-openapi document at each call, $refs resolved, for
// libraries that change what they are given. Origins are included, but count lines
// of a normal form of the text (which are in document order); see At.
func (d *Document) OpenAPI() (doc *openapi3.T, err error) {
	defer func() {
		if r := recover(); r != nil {
			doc, err = nil, fmt.Errorf("kin-openapi panicked while loading: %v", r)
		}
	}()
	src := d.files.at((&url.URL{Path: d.key}).String())
	if src == nil {
		return nil, errors.New("the document could not be read")
	}
	loader := openapi3.NewLoader()
	loader.IncludeOrigin = true
	loader.ReadFromURIFunc = d.readURI
	text, _ := src.normal()
	return loader.LoadFromDataWithPath(text, &url.URL{Path: d.key})
}

// readURI is the only way by which kin-openapi gets at files.
func (d *Document) readURI(_ *openapi3.Loader, u *url.URL) ([]byte, error) {
	if u.Scheme != "" || u.Host != "" {
		return nil, fmt.Errorf("%s is on the network, which idemgen doesn't use", u)
	}
	src, found := d.files.open(u.Path)
	if src == nil || src.root == nil {
		for _, x := range found.All() {
			return nil, fmt.Errorf("%s: %s", x.Pos, x.Message)
		}
		return nil, fmt.Errorf("%s: the file is empty", u.Path)
	}
	text, _ := src.normal()
	return text, nil
}

// validate lets kin-openapi judge the document and reports all that it finds.
func (d *Document) validate(w *walker, diags *diag.Set) {
	doc, err := d.OpenAPI()
	if err == nil {
		err = check(doc)
	}
	for _, e := range flatten(err) {
		if !harmless(e) {
			d.report(w, e, diags)
		}
	}
	if doc != nil {
		d.compare(doc, diags)
	}
}

// compare makes sure that what we found is what will be generated: an operation that
// only one of us sees would be served unprotected, without a word.
func (d *Document) compare(doc *openapi3.T, diags *diag.Set) {
	served := 0
	for _, item := range doc.Paths.Map() {
		if item != nil {
			served += len(item.Operations())
		}
	}
	for _, o := range d.Operations {
		item := doc.Paths.Value(o.Path)
		if item == nil || item.GetOperation(o.Method) == nil {
			diags.Addf(o.Pos, o.Len, RuleInvalid, "%s %q is not what kin-openapi reads there", o.Method, o.Path)
			return
		}
		served--
	}
	if served > 0 {
		diags.Addf(diag.Pos{File: d.File}, 0, RuleInvalid, "kin-openapi reads %d operations that idemgen does not", served)
	}
}

// check runs kin-openapi's validation without what doesn't concern generated code:
// examples, defaults, patterns in a dialect that isn't Go's, and fields that the
// document's version doesn't know (vendors' typos, "description" beside a $ref).
// kin-openapi stops at the first problem of a schema, so such fields are allowed by
// name and the validation run again, lest they hide what does matter.
func check(doc *openapi3.T) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("kin-openapi panicked while validating: %v", r)
		}
	}()
	allowed := make(map[string]bool)
	for {
		err := doc.Validate(context.Background(),
			openapi3.EnableMultiError(),
			openapi3.DisableExamplesValidation(),
			openapi3.DisableSchemaDefaultsValidation(),
			openapi3.DisableSchemaFormatValidation(),
			openapi3.DisableSchemaPatternValidation(),
			openapi3.AllowExtraSiblingFields(slices.Collect(maps.Keys(allowed))...),
		)
		before := len(allowed)
		for _, e := range flatten(err) {
			for _, name := range unknownFields(e) {
				allowed[name] = true
			}
		}
		// A document may have thousands of names, at one per round.
		if len(allowed) == before || len(allowed) > 100 {
			return err
		}
	}
}

// flatten gives the separate problems.
func flatten(err error) []error {
	var many openapi3.MultiError
	if errors.As(err, &many) {
		return many
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// unknownFields names the fields that an error refuses for being unknown.
func unknownFields(err error) []string {
	var extra *openapi3.ExtraSiblingFieldsError
	if errors.As(err, &extra) {
		return extra.Fields
	}
	var version *openapi3.FieldVersionMismatchError
	if errors.As(err, &version) {
		return []string{version.Field}
	}
	return nil
}

// harmless tells errors that don't concern generated code.
func harmless(err error) bool {
	var description *openapi3.ResponseDescriptionRequired
	var scheme *openapi3.InvalidHTTPSchemeError // any registered scheme but four
	var dup *openapi3.DuplicateOperationIDError // found in the walk: all, in document order
	return len(unknownFields(err)) > 0 ||
		errors.As(err, &description) || errors.As(err, &scheme) || errors.As(err, &dup)
}
