package spec

import (
	"regexp"
	"strings"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

var supportedVersion = regexp.MustCompile(`^3\.[01](\.[0-9]+(-[0-9A-Za-z.-]+)?)?$`)

// checkVersion sets d.Version, or says why this isn't a document that we read.
func (d *Document) checkVersion(diags *diag.Set) bool {
	whole := diag.Pos{File: d.File}
	switch {
	case d.root == nil && !diags.Empty():
		return false
	case d.root == nil || d.root.Kind == doctree.Null:
		diags.Addf(whole, 0, RuleVersion, "the file is empty; an OpenAPI document starts with \"openapi: 3.0.3\"")
		return false
	case d.root.Kind != doctree.Map:
		diags.Addf(d.root.Pos(), d.root.Len(), RuleVersion, "the document is %s, not a mapping; an OpenAPI document starts with \"openapi: 3.0.3\"", d.root.Kind)
		return false
	}
	v := d.root.Get("openapi")
	if v == nil {
		if e := d.root.Entry("swagger"); e != nil {
			diags.Addf(e.Key.Pos(), e.Key.Len(), RuleVersion, "Swagger 2.0 is not supported; convert the document to OpenAPI 3.0 or 3.1")
			return false
		}
		diags.Addf(whole, 0, RuleVersion, "openapi is missing; this is not an OpenAPI document, which starts with \"openapi: 3.0.3\"")
		return false
	}
	switch {
	case v.Kind == doctree.Float && supportedVersion.MatchString(v.Value):
		diags.Addf(v.Pos(), v.Len(), RuleVersion, "openapi: %s is a number; write the whole version, such as %s.0", v.Value, v.Value)
		return false
	case v.Kind != doctree.String:
		at, length := v.Pos(), v.Len()
		diags.Addf(at, length, RuleVersion, "openapi is %s; write a version such as 3.0.3 or 3.1.0", v.Kind)
		return false
	case !supportedVersion.MatchString(v.Value):
		hint := "OpenAPI 3.0 and 3.1 are supported"
		if strings.HasPrefix(v.Value, "3.2") {
			hint = "write 3.1.0 if the document needs nothing of 3.2"
		}
		diags.Addf(v.Pos(), v.Len(), RuleVersion, "openapi: version %q is not supported; %s", v.Value, hint)
		return false
	}
	d.Version = v.Value
	return true
}
