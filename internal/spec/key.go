package spec

import (
	"errors"
	"fmt"
	"regexp"
	regexpsyntax "regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// token is RFC 9110's field-name.
var token = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// takenHeaders mean something else already: to HTTP (RFC 9110, 9111, 9112, 6265,
// 6454, 6455), to proxies or to browsers. Their values repeat between requests, or
// never reach the handler.
const takenHeaders = ` accept accept-charset accept-encoding accept-language accept-ranges age allow alt-svc
 authentication-info authorization cache-control connection content-encoding content-disposition
 content-language content-length content-location content-range content-type cookie date dnt early-data
 etag expect expires forwarded from host http2-settings if-match if-modified-since if-none-match if-range
 if-unmodified-since keep-alive last-modified link location max-forwards origin pragma prefer
 proxy-authenticate proxy-authentication-info proxy-authorization proxy-connection range referer
 retry-after server set-cookie strict-transport-security te trailer traceparent tracestate
 transfer-encoding upgrade user-agent vary via warning www-authenticate x-forwarded-for
 x-forwarded-host x-forwarded-proto x-real-ip idempotency-replayed `

// maxHeader is generous: servers refuse names far shorter than their line limit.
const maxHeader = 128

func isHeader(name string) bool { return token.MatchString(name) && len(name) <= maxHeader }

func (r *reader) keyHeader(e doctree.Entry) {
	v := e.Value
	lower := strings.ToLower(v.Value)
	switch {
	case v.Kind != doctree.String:
		r.wrongType(e, "key.header", "a header name such as Idempotency-Key")
		return
	case !isHeader(v.Value):
		r.report(v, RuleKeyHeader, "key.header: %s is not a header name; write one such as Idempotency-Key", quoted(v))
		return
	case slices.Contains(strings.Fields(takenHeaders), lower),
		strings.HasPrefix(lower, "sec-"), strings.HasPrefix(lower, "proxy-"), strings.HasPrefix(lower, "access-control-"):
		r.report(v, RuleKeyHeader, "key.header: %s means something else in HTTP; write one such as Idempotency-Key", quoted(v))
		return
	}
	r.ext.Key.Header = v.Value
}

func (r *reader) keyRequired(e doctree.Entry) {
	if e.Value.Kind != doctree.Bool {
		r.wrongType(e, "key.required", "true or false")
		return
	}
	r.ext.Key.Required = e.Value.True()
}

var keyFormats = []string{"uuid", "ulid", "opaque"}

func (r *reader) keyFormat(e doctree.Entry) {
	if s, ok := r.choice(e, "key.format", RuleKeyFormat, "a format", keyFormats); ok {
		r.ext.Key.Format = s
	}
}

// maxKey is the length of the longest key, in characters, whatever the
// operation says.
const maxKey = 255

func (r *reader) keyMinLength(e doctree.Entry) {
	r.ext.Key.MinLength = r.length(e, "key.minLength")
}

func (r *reader) keyMaxLength(e doctree.Entry) {
	r.ext.Key.MaxLength = r.length(e, "key.maxLength")
}

func (r *reader) length(e doctree.Entry, name string) int {
	v := e.Value
	if v.Kind != doctree.Int && v.Kind != doctree.Float {
		r.wrongType(e, name, "a number from 1 to 255")
		return 0
	}
	n, err := strconv.Atoi(v.JSON())
	if err != nil || n < 1 || n > maxKey {
		r.report(v, RuleKeyLength, "%s: %s is not a length that keys have; write a whole number from 1 to 255", name, quoted(v))
		return 0
	}
	return n
}

func (r *reader) keyPattern(e doctree.Entry) {
	v := e.Value
	if v.Kind != doctree.String {
		r.wrongType(e, "key.pattern", "a regular expression such as '^ord-[0-9]+$'")
		return
	}
	if v.Value == "" {
		r.report(v, RuleKeyPattern, "key.pattern is empty, and every key matches it; leave it out")
		return
	}
	if _, err := regexp.Compile(v.Value); err != nil {
		r.report(v, RuleKeyPattern, "key.pattern: %s is not a pattern that Go knows (RE2): %s", quoted(v), syntaxError(err))
		return
	}
	r.ext.Key.Pattern = v.Value
}

// syntaxError leaves out the pattern, which the message has already.
func syntaxError(err error) string {
	var syntax *regexpsyntax.Error
	if errors.As(err, &syntax) {
		return fmt.Sprintf("%s: %q", syntax.Code, syntax.Expr)
	}
	return err.Error()
}

// oneSource finds a key that is in several places, and limits that can't be
// told of several values.
func (r *reader) oneSource() {
	sources := []string{"key.header", "key.pointer", "key.natural"}
	first := ""
	for _, name := range sources {
		e, ok := r.ext.written[name]
		switch {
		case ok && first != "":
			r.report(e.Key, RuleKeySource, "%s and %s exclude each other; a key is in one place", first, name)
		case ok:
			first = name
		}
	}
	if len(r.ext.Key.Pointers) < 2 {
		return
	}
	for _, name := range []string{"key.format", "key.minLength", "key.maxLength", "key.pattern"} {
		if e, ok := r.ext.written[name]; ok {
			r.report(e.Key, RuleKeySource, "%s is of one value, and key.natural names several; remove it", name)
		}
	}
}

// formatLength is how long keys of a format are.
var formatLength = map[string]int{"uuid": 36, "ulid": 26}

// possible says what is wrong with limits that no key can keep to.
func (k *Key) possible() string {
	shortest, longest := max(k.MinLength, 1), k.MaxLength
	if longest == 0 {
		longest = maxKey
	}
	n := formatLength[k.Format]
	switch {
	case shortest > longest:
		return fmt.Sprintf("no key has at least %d and at most %d characters", shortest, longest)
	case n > 0 && (n < shortest || n > longest):
		return fmt.Sprintf("a %s has %d characters, which the key's lengths don't allow", strings.ToUpper(k.Format), n)
	}
	return ""
}

// ownLimits checks what x-idempotent alone says of the key.
func (r *reader) ownLimits() {
	problem := r.ext.Key.possible()
	if problem == "" {
		return
	}
	for _, name := range []string{"key.minLength", "key.maxLength"} {
		if e, ok := r.ext.written[name]; ok {
			r.report(e.Value, RuleKeyLength, "%s: %s", name, problem)
			return
		}
	}
}
