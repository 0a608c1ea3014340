package spec

import (
	"strings"

	"github.com/idemgen/idemgen/internal/diag/doctree"
)

func (r *reader) fingerprintHeaders(e doctree.Entry) {
	const name = "fingerprint.headers"
	seen := make(map[string]bool)
	for _, item := range r.items(e, name, RuleFingerprint, "a list of header names such as [X-Api-Version]") {
		lower := strings.ToLower(item.Value)
		switch {
		case item.Kind != doctree.String:
			r.wrongItem(item, name, "a header name such as X-Api-Version")
		case !isHeader(item.Value):
			r.report(item, RuleFingerprint, "%s: %s is not a header name; write one such as X-Api-Version", name, quoted(item))
		case seen[lower]:
			r.report(item, RuleFingerprint, "%s: %s is there twice; case makes no difference", name, quoted(item))
		default:
			seen[lower] = true
			r.ext.Fingerprint.Headers = append(r.ext.Fingerprint.Headers, item.Value)
		}
	}
}

// oneFingerprint finds parts of a fingerprint that don't go together.
func (r *reader) oneFingerprint() {
	_, both := r.ext.written["fingerprint.include"]
	if exclude, ok := r.ext.written["fingerprint.exclude"]; ok && both {
		r.report(exclude.Key, RuleFingerprint, "fingerprint.include and fingerprint.exclude exclude each other; what isn't included doesn't count anyway")
	}
	if r.ext.Key.Pointers != nil {
		return
	}
	if list, ok := r.ext.written["fingerprint.headers"]; ok {
		for _, item := range list.Value.Items {
			if strings.EqualFold(item.Value, r.ext.Key.Header) {
				r.report(item, RuleFingerprint, "fingerprint.headers: %s is the key itself, which is the same in all requests that are compared; remove it", quoted(item))
			}
		}
	}
}
