package runtime

import (
	"net/http"
	"strings"
)

// Mux is what the routes of a service are registered with.
type Mux interface {
	HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request))
	http.Handler
}

// UnquoteKeys returns a mux that registers with mux and, before a request is
// decoded, takes the quotes off keys that are sent as RFC 9651 Strings. So a
// spec that declares the key as a header parameter, of the format uuid for
// instance, gets the same value in either spelling.
func UnquoteKeys(mux Mux, operations ...*Operation) Mux {
	var names []string
	seen := map[string]bool{}
	for _, op := range operations {
		name := http.CanonicalHeaderKey(op.Key.header())
		if op.Key.Pointers == nil && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return &unquotingMux{mux, names}
}

type unquotingMux struct {
	Mux
	names []string
}

func (m *unquotingMux) HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request)) {
	m.Mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		handler(w, m.unquoted(r))
	})
}

func (m *unquotingMux) unquoted(r *http.Request) *http.Request {
	for _, name := range m.names {
		values := r.Header[name]
		if len(values) != 1 || !strings.HasPrefix(values[0], `"`) {
			continue
		}
		// A key that itself begins with a quote stays as it is: bare, it would
		// look like a String that isn't one.
		key, ok := parseString(values[0])
		if !ok || key == "" || key[0] == '"' {
			continue
		}
		header := r.Header.Clone()
		header[name] = []string{key}
		r = r.WithContext(r.Context()) // a copy: the request isn't ours to change
		r.Header = header
	}
	return r
}
