package spec

import (
	"regexp"
	"strings"

	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// Pointer is a JSON pointer (RFC 6901) into the request body.
type Pointer struct {
	Text   string
	tokens []string
	node   *doctree.Node // where it is written
}

var badEscape = regexp.MustCompile(`~([^01]|$)`)

// pointer reads one pointer. Names of fields that are lists go to their items.
func (r *reader) pointer(n *doctree.Node, name string) (Pointer, bool) {
	switch {
	case n.Kind != doctree.String:
		r.wrongItem(n, name, "a JSON pointer such as /event_id")
	case n.Value == "":
		r.report(n, RulePointer, `%s: "" is the whole body; write a JSON pointer such as /event_id`, name)
	case n.Value[0] != '/':
		r.report(n, RulePointer, "%s: %s is not a JSON pointer; write %q", name, quoted(n), "/"+strings.TrimPrefix(strings.TrimPrefix(n.Value, "#"), "/"))
	case badEscape.MatchString(n.Value):
		r.report(n, RulePointer, "%s: %s has a ~ that is neither ~0 (a ~) nor ~1 (a /)", name, quoted(n))
	default:
		p := Pointer{Text: n.Value, node: n}
		for token := range strings.SplitSeq(n.Value[1:], "/") {
			p.tokens = append(p.tokens, unescape(token))
		}
		return p, true
	}
	return Pointer{}, false
}

// pointers reads a list of pointers.
func (r *reader) pointers(e doctree.Entry, name, rule string) []Pointer {
	var list []Pointer
	seen := make(map[string]bool)
	for _, item := range r.items(e, name, rule, "a list of JSON pointers such as [/customer_id, /cart_id]") {
		p, ok := r.pointer(item, name)
		switch {
		case !ok:
		case seen[p.Text]:
			r.report(item, rule, "%s: %s is there twice", name, quoted(item))
		default:
			seen[p.Text] = true
			list = append(list, p)
		}
	}
	return list
}

func unescape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

func (r *reader) keyPointer(e doctree.Entry) {
	if e.Value.Kind != doctree.String {
		r.wrongType(e, "key.pointer", "a JSON pointer such as /event_id")
		return
	}
	if p, ok := r.pointer(e.Value, "key.pointer"); ok {
		r.ext.Key.Pointers = []Pointer{p}
	}
}

func (r *reader) keyNatural(e doctree.Entry) {
	if list := r.pointers(e, "key.natural", RuleKeySource); r.ext.Key.Pointers == nil {
		r.ext.Key.Pointers = list
	}
}

func (r *reader) include(e doctree.Entry) {
	r.ext.Fingerprint.Include = r.pointers(e, "fingerprint.include", RuleFingerprint)
}

func (r *reader) exclude(e doctree.Entry) {
	r.ext.Fingerprint.Exclude = r.pointers(e, "fingerprint.exclude", RuleFingerprint)
}
