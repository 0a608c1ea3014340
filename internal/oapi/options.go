package oapi

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// Rule identifiers of this package's diagnostics. They are part of the interface
// to users: they stay what they are.
const (
	RuleUnknown = "oapi/unknown-option" // oapi-codegen has no such option
	RuleType    = "oapi/type"           // a value of the wrong type
	RuleValue   = "oapi/value"          // a value that oapi-codegen doesn't take
	RuleRefused = "oapi/refused"        // an option that generated code can't live with
)

// refused are options of oapi-codegen that don't pass through, by their full names,
// and why. All others do.
var refused = map[string]string{
	"package":                "it is api.package",
	"generate":               "idemgen decides what is generated, since its own code calls it",
	"allow-remote-refs-from": "idemgen doesn't use the network; download the file beside the spec",

	"output-options.user-templates":                    "idemgen's code fits to what oapi-codegen's own templates make",
	"output-options.overlay":                           "list the overlay under overlays, for then all of idemgen sees it",
	"output-options.skip-fmt":                          "what is written is always formatted",
	"output-options.client-type-name":                  noClient,
	"output-options.client-response-bytes-function":    noClient,
	"output-options.skip-client-response-content-type": noClient,
	"output-options.skip-response-body-getters":        noClient,
	"output-options.response-type-suffix":              noClient,

	"compatibility.apply-chi-middleware-first-to-last":                     noRouter,
	"compatibility.apply-gorilla-middleware-first-to-last":                 noRouter,
	"compatibility.circular-reference-limit":                               "oapi-codegen ignores it",
	"compatibility.preserve-original-operation-id-casing-in-embedded-spec": "no spec is embedded",
}

const (
	noClient = "it is about clients, and none is generated"
	noRouter = "the server is net/http's"
)

// Passes tells whether an option, by its full name, isn't one of the refused.
func Passes(name string) bool { return refused[name] == "" }

// Options are what a user may set of oapi-codegen's configuration.
type Options struct{ configuration codegen.Configuration }

// DecodeOptions reads options with the names that they have in oapi-codegen's own
// configuration file. A nil node means none.
func DecodeOptions(n *doctree.Node, diags *diag.Set) Options {
	var o Options
	if n == nil {
		return o
	}
	d := decoder{diags: &diag.Set{}}
	d.fields("", n, reflect.TypeOf(o.configuration))
	if d.diags.Empty() {
		if err := n.YAML().Decode(&o.configuration); err != nil {
			d.report(n, RuleType, "oapi-codegen can't read its options: %s", err)
		}
		d.values(n, &o.configuration)
	}
	diags.Merge(d.diags)
	return o
}

// Serves tells whether an operation is generated, or left out by its operationId
// or tags.
func (o Options) Serves(id string, tags []string) bool {
	output := o.configuration.OutputOptions
	tagged := func(list []string) bool {
		return slices.ContainsFunc(tags, func(tag string) bool { return slices.Contains(list, tag) })
	}
	return !tagged(output.ExcludeTags) && !slices.Contains(output.ExcludeOperationIDs, id) &&
		(len(output.IncludeTags) == 0 || tagged(output.IncludeTags)) &&
		(len(output.IncludeOperationIDs) == 0 || slices.Contains(output.IncludeOperationIDs, id))
}

type decoder struct{ diags *diag.Set }

func (d *decoder) report(n *doctree.Node, rule, format string, args ...any) {
	d.diags.Addf(n.Pos(), n.Len(), rule, format, args...)
}

// fields checks a mapping against a struct of oapi-codegen's.
func (d *decoder) fields(group string, n *doctree.Node, t reflect.Type) {
	known := make(map[string]reflect.Type)
	var names []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		if name == "" || name == "-" {
			continue
		}
		known[name] = t.Field(i).Type
		if refused[join(group, name)] == "" {
			names = append(names, name)
		}
	}
	for _, e := range n.Entries {
		name := join(group, e.Key.Value)
		switch field := known[e.Key.Value]; {
		case field == nil:
			d.report(e.Key, RuleUnknown, "%q is not a field of %s%s", e.Key.Value, join("oapi", group), diag.DidYouMean(e.Key.Value, names))
		case refused[name] != "":
			d.report(e.Key, RuleRefused, "oapi.%s can't be set: %s", name, refused[name])
		default:
			d.value(name, e, field)
		}
	}
}

// value checks a value against a type of oapi-codegen's.
func (d *decoder) value(name string, e doctree.Entry, t reflect.Type) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	want, write := kindOf(t)
	if e.Value.Kind != want {
		at, got := e.Value, e.Value.Kind.String()
		if at.Len() == 0 {
			at = e.Key
			if e.Value.Kind == doctree.Null {
				got = "empty"
			}
		}
		d.report(at, RuleType, "oapi.%s is %s; write %s", name, got, write)
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		d.fields(name, e.Value, t)
	case reflect.Slice:
		for i, item := range e.Value.Items {
			d.value(fmt.Sprintf("%s[%d]", name, i), doctree.Entry{Key: item, Value: item}, t.Elem())
		}
	case reflect.Map:
		for _, item := range e.Value.Entries {
			d.value(join(name, item.Key.Value), item, t.Elem())
		}
	default:
	}
}

// kindOf is the kind of node that a Go type is written as, and what to write.
func kindOf(t reflect.Type) (doctree.Kind, string) {
	switch t.Kind() {
	case reflect.Bool:
		return doctree.Bool, "true or false"
	case reflect.Int:
		return doctree.Int, "a number"
	case reflect.Slice:
		return doctree.Seq, "a list"
	case reflect.Map, reflect.Struct:
		return doctree.Map, "a mapping"
	default:
		return doctree.String, "text"
	}
}

// values checks what oapi-codegen would refuse later, without a position.
func (d *decoder) values(n *doctree.Node, c *codegen.Configuration) {
	output := n.Get("output-options")
	if name := output.Get("name-normalizer"); name != nil {
		if options := codegen.NameNormalizers.Options(); !slices.Contains(options, name.Value) {
			d.report(name, RuleValue, "oapi.output-options.name-normalizer: %q is not one of %s%s",
				name.Value, strings.Join(options[1:], ", "), diag.DidYouMean(name.Value, options))
		}
	}
	for option, problem := range c.OutputOptions.Validate() {
		if e := output.Entry(option); e != nil {
			d.report(e.Key, RuleValue, "oapi.output-options.%s: %s", option, problem)
		}
	}
}

func join(group, name string) string {
	if group == "" || name == "" {
		return group + name
	}
	return group + "." + name
}
