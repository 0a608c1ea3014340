package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// quoted shows a scalar in a message: text in quotes, numbers as written.
func quoted(n *doctree.Node) string {
	if n.Kind == doctree.String {
		if len(n.Value) > 80 {
			return fmt.Sprintf("%.80q...", n.Value)
		}
		return fmt.Sprintf("%q", n.Value)
	}
	return n.Value
}

var identity = regexp.MustCompile(`^[A-Za-z0-9._~-]{1,128}$`)

func (r *reader) name(e doctree.Entry) {
	if e.Value.Kind != doctree.String {
		r.wrongType(e, "name", "text such as \"create-order\"")
		return
	}
	if !identity.MatchString(e.Value.Value) {
		r.report(e.Value, RuleName, "name: %s is not a name; use 1 to 128 of A-Z a-z 0-9 . _ ~ -", quoted(e.Value))
		return
	}
	r.ext.Name, r.ext.NamePos = e.Value.Value, e.Value.Pos()
}

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

func (r *reader) keyHeader(e doctree.Entry) {
	v := e.Value
	lower := strings.ToLower(v.Value)
	switch {
	case v.Kind != doctree.String:
		r.wrongType(e, "key.header", "a header name such as Idempotency-Key")
		return
	case !token.MatchString(v.Value) || len(v.Value) > maxHeader:
		r.report(v, RuleKeyHeader, "key.header: %s is not a header name; write one such as Idempotency-Key", quoted(v))
		return
	case slices.Contains(strings.Fields(takenHeaders), lower),
		strings.HasPrefix(lower, "sec-"), strings.HasPrefix(lower, "proxy-"), strings.HasPrefix(lower, "access-control-"):
		r.report(v, RuleKeyHeader, "key.header: %s means something else in HTTP; write one such as Idempotency-Key", quoted(v))
		return
	}
	r.ext.Key.Header, r.ext.Key.HeaderPos, r.ext.Key.HeaderLen = v.Value, v.Pos(), v.Len()
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
	if e.Value.Kind != doctree.String {
		r.wrongType(e, "key.format", "uuid, ulid or opaque")
		return
	}
	if !slices.Contains(keyFormats, e.Value.Value) {
		hint := diag.DidYouMean(e.Value.Value, keyFormats)
		if hint == "" {
			hint = "; write uuid, ulid or opaque"
		} else {
			hint += " The formats are uuid, ulid and opaque"
		}
		r.report(e.Value, RuleKeyFormat, "key.format: %s is not a format%s", quoted(e.Value), hint)
		return
	}
	r.ext.Key.Format = e.Value.Value
}

func (r *reader) ttl(e doctree.Entry) {
	v := e.Value
	switch v.Kind {
	case doctree.Int:
		r.report(v, RuleTTL, "ttl: %s has no unit; write 24h or PT24H", quoted(v))
	case doctree.Float:
		r.report(v, RuleTTL, "ttl: %s is not a duration; write 24h or PT24H", quoted(v))
	case doctree.String:
		ttl, problem := parseTTL(v.Value)
		if problem != "" {
			r.report(v, RuleTTL, "ttl: %s %s", quoted(v), problem)
			return
		}
		r.ext.TTL, r.ext.TTLPos = ttl, v.Pos()
	default:
		r.wrongType(e, "ttl", "a duration such as 24h or PT24H")
	}
}
