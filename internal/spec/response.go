package spec

import (
	"slices"
	"strconv"
	"strings"
)

// neverStored is the runtime's list of the same name: these headers belong to one
// exchange or to one person. A test holds them together.
const neverStored = ` set-cookie authorization proxy-authenticate proxy-authorization www-authenticate
 authentication-info date connection keep-alive proxy-connection te trailer transfer-encoding upgrade
 content-length `

// responseHeaders finds declared headers that clients won't see. Only stored
// answers lose them: a 401 may well have its WWW-Authenticate.
func (w *walker) responseHeaders(o *Operation) {
	responses := o.node.Get("responses")
	if responses == nil {
		return
	}
	for _, e := range responses.Entries {
		if !o.Idempotent.MayStore(e.Key.Value) {
			continue
		}
		headers := w.target(e.Value).Get("headers")
		if headers == nil {
			continue
		}
		for _, h := range headers.Entries {
			if slices.Contains(strings.Fields(neverStored), strings.ToLower(h.Key.Value)) {
				w.diags.Addf(h.Key.Pos(), h.Key.Len(), RuleResponseHeader,
					"%q is of one exchange or one person: with %s it is neither sent nor replayed on stored answers; remove it here, and let a middleware set it if every answer needs it",
					h.Key.Value, extensionKey)
			}
		}
	}
}

// MayStore tells whether responses under a key of responses (a status, a class or
// default) can be stored.
func (x *Extension) MayStore(key string) bool {
	store := x.Store
	if store == nil { // as the runtime has it
		store = []StatusRange{{200, 400}, {402, 402}, {404, 407}, {409, 424}, {426, 428}, {430, 499}}
	}
	first, last := 200, 499 // default
	if status, err := strconv.Atoi(key); err == nil {
		first, last = status, status
	} else if m := statusClass.FindStringSubmatch(key); m != nil {
		first, _ = strconv.Atoi(m[1] + "00")
		last = first + 99
	} else if key != "default" {
		return false // an extension
	}
	return slices.ContainsFunc(store, func(s StatusRange) bool { return s.First <= last && first <= s.Last })
}
