package runtime

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// DefaultKeyHeader is the request header that carries the idempotency key
// (draft-ietf-httpapi-idempotency-key-header-07, section 2).
const DefaultKeyHeader = "Idempotency-Key"

// Scope says who shares the keys of an operation.
type Scope int

const (
	// ScopePrincipal gives each principal keys of its own: the same key sent by
	// two principals names two records. It needs Config.Principal.
	ScopePrincipal Scope = iota
	// ScopePublic is one space of keys for all callers of the operation.
	ScopePublic
)

// KeyFormat is a syntax that an operation asks of its keys, besides the 1-255
// printable ASCII characters that are asked of all.
type KeyFormat string

const (
	// KeyOpaque takes any key.
	KeyOpaque KeyFormat = ""
	// KeyUUID takes the 36 characters of RFC 9562, section 4, in either case.
	KeyUUID KeyFormat = "uuid"
	// KeyULID takes the 26 characters of a ULID, in either case.
	KeyULID KeyFormat = "ulid"
)

// Operation is the idempotency contract of one operation, as generated from
// x-idempotent. It is read only once it is in use.
type Operation struct {
	// Name is the stable identity that goes into every record: the operationId,
	// or x-idempotent's name.
	Name string
	// KeyHeader names the request header of the key. Defaults to DefaultKeyHeader.
	KeyHeader string
	// KeyOptional runs a request without a key, and without a record, instead
	// of answering it with 400.
	KeyOptional bool
	// KeyFormat is checked before anything else. Defaults to KeyOpaque.
	KeyFormat KeyFormat
	// Scope defaults to ScopePrincipal.
	Scope Scope
	// TTL is how long a record answers for its key, by the database's clock.
	TTL time.Duration
	// PathParams and QueryParams are the declared parameters that, besides the
	// body, make two requests the same or not.
	PathParams, QueryParams []string
	// ResponseHeaders are the headers that the spec declares for responses:
	// they are stored besides the usual ones.
	ResponseHeaders []string
	// StreamedBody says that the handler reads the body from the connection's
	// reader, so that it can't run a second time for the same request.
	StreamedBody bool
}

func (op *Operation) validate() error {
	switch {
	case op.Name == "":
		return errors.New("idem: an operation has no name")
	case op.TTL <= 0:
		return fmt.Errorf("idem: operation %s: the ttl must be positive, not %s", op.Name, op.TTL)
	}
	return nil
}

func (op *Operation) keyHeader() string {
	if op.KeyHeader == "" {
		return DefaultKeyHeader
	}
	return op.KeyHeader
}

// stores tells whether a response with this status is kept for replay. What
// says "not now" or "not you" isn't: the same request may fare better later.
func (op *Operation) stores(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout,
		http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	}
	return status >= 200 && status < 500
}
