package scaffold

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// authentication is how a request brings its API key.
type authentication struct {
	Kind   string // header, basic or bearer
	Header string // of the kind header
	Detail string // of the 401, to the client
}

// newAuthentication follows the first security scheme that an operation asks for,
// where API keys can; tokens of all other schemes are bearer tokens. It is nil if
// no operation asks for any.
func newAuthentication(document *openapi3.T, ops []*operation) *authentication {
	for _, op := range ops {
		for _, requirement := range requirements(document, op.Document) {
			for _, name := range slices.Sorted(maps.Keys(requirement)) {
				return authenticationOf(document, name)
			}
		}
	}
	return nil
}

func authenticationOf(document *openapi3.T, name string) *authentication {
	const hold = ", and hold a key that this service has given out"
	bearer := &authentication{Kind: "bearer", Detail: "the header Authorization must be there, with the scheme Bearer" + hold}
	if document.Components == nil || document.Components.SecuritySchemes[name] == nil || document.Components.SecuritySchemes[name].Value == nil {
		return bearer
	}
	scheme := document.Components.SecuritySchemes[name].Value
	switch {
	case scheme.Type == "apiKey" && scheme.In == "header" && isToken(scheme.Name):
		header := http.CanonicalHeaderKey(scheme.Name)
		return &authentication{Kind: "header", Header: header, Detail: "the header " + header + " must be there" + hold}
	case scheme.Type == "http" && strings.EqualFold(scheme.Scheme, "basic"):
		return &authentication{Kind: "basic", Detail: "the header Authorization must be there, with the scheme Basic" + hold}
	}
	return bearer
}

// isToken tells names that a header can have.
func isToken(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

// curl is the option that sends the key demo, which the Makefile's service takes.
func (a *authentication) curl() string {
	switch a.Kind {
	case "header":
		return "-H " + shell(a.Header+": demo")
	case "basic":
		return "-u demo:demo"
	}
	return "-H 'Authorization: Bearer demo'"
}
