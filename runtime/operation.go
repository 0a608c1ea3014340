package runtime

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"
)

// DefaultKeyHeader is the request header that carries the idempotency key
// (draft-ietf-httpapi-idempotency-key-header-07, section 2).
const DefaultKeyHeader = "Idempotency-Key"

// Operation is the idempotency contract of one operation, as generated from
// x-idempotent. It is read only once it is in use.
type Operation struct {
	// Name is the stable identity that goes into every record: the operationId,
	// or x-idempotent's name.
	Name string
	// Key says where the key is and what it looks like. The zero value is the
	// header DefaultKeyHeader, required, with any key.
	Key Key
	// Scope says who shares the keys. It has no default: an operation that says
	// nothing is refused.
	Scope Scope
	// Fingerprint says what, besides the operation, makes two requests the same
	// or not. The zero value is the whole body.
	Fingerprint Fingerprint
	// TTL is how long a record answers for its key, by the database's clock.
	TTL time.Duration
	// Wait is how long a duplicate waits for the request that is in flight,
	// before it gets 409. Defaults to 0: it doesn't.
	Wait time.Duration
	// Store lists the statuses that are stored for replay. Defaults to 2xx, 3xx
	// and 4xx but 401, 403, 408, 425 and 429.
	Store []StatusRange
	// KeepWrites commits the handler's writes also with a stored 4xx. By
	// default they are rolled back.
	KeepWrites bool
	// Isolation is the level of the transaction. Defaults to the database's.
	Isolation pgx.TxIsoLevel
	// ResponseHeaders are the headers that the spec declares for responses:
	// they are stored besides the usual ones.
	ResponseHeaders []string
	// StreamedBody says that the handler reads the body from the connection's
	// reader, so that it can't run a second time for the same request.
	StreamedBody bool
}

// Key says where an operation's key is and what it looks like. Every key has
// 1-255 characters of printable ASCII.
type Key struct {
	// Header names the request header. Defaults to DefaultKeyHeader.
	Header string
	// Pointers, when set, take the key from the JSON body instead: the values
	// at these JSON pointers (RFC 6901) together are the key. A request in
	// which one is missing or null is answered with 400.
	Pointers []string
	// Optional runs a request without a key, and without a record, instead of
	// answering it with 400.
	Optional bool
	// Format is checked before anything else. Defaults to KeyOpaque.
	Format KeyFormat
	// MinLength and MaxLength are in characters. They default to 1 and 255.
	MinLength, MaxLength int
	// Pattern must match somewhere in the key. Defaults to none.
	Pattern *regexp.Regexp
}

// KeyFormat is a syntax that an operation asks of its keys.
type KeyFormat string

const (
	// KeyOpaque takes any key.
	KeyOpaque KeyFormat = ""
	// KeyUUID takes the 36 characters of RFC 9562, section 4, in either case.
	KeyUUID KeyFormat = "uuid"
	// KeyULID takes the 26 characters of a ULID, in either case.
	KeyULID KeyFormat = "ulid"
)

// Scope says who shares the keys of an operation: all requests for which the
// parts that are set here are the same.
type Scope struct {
	// Public is one space of keys for all callers. It excludes the rest.
	Public bool
	// Principal gives each principal keys of its own. It needs
	// Config.Principal.
	Principal bool
	// PathParams and Headers are part of the scope by their values.
	PathParams, Headers []string
}

// Fingerprint says what makes two requests of an operation the same.
type Fingerprint struct {
	// PathParams and QueryParams are those that the spec declares.
	PathParams, QueryParams []string
	// Include, when set, are the JSON pointers of the only parts of a JSON
	// body that count; Exclude those of the parts that don't.
	Include, Exclude []string
	// Headers are the request headers that count. Defaults to none: clients
	// change theirs at each retry.
	Headers []string
}

// StatusRange is a range of HTTP statuses, both ends included.
type StatusRange struct{ First, Last int }

func (op *Operation) validate() error {
	scope := &op.Scope
	scoped := scope.Principal || len(scope.PathParams) > 0 || len(scope.Headers) > 0
	switch {
	case op.Name == "":
		return errors.New("idem: an operation has no name")
	case op.TTL <= 0:
		return fmt.Errorf("idem: operation %s: the ttl must be positive, not %s", op.Name, op.TTL)
	case op.Wait < 0:
		return fmt.Errorf("idem: operation %s: the wait must not be negative", op.Name)
	case scope.Public == scoped:
		return fmt.Errorf("idem: operation %s: the scope must be either public or not", op.Name)
	}
	for _, pointers := range [][]string{op.Key.Pointers, op.Fingerprint.Include, op.Fingerprint.Exclude} {
		for _, pointer := range pointers {
			if err := checkPointer(pointer); err != nil {
				return fmt.Errorf("idem: operation %s: %w", op.Name, err)
			}
		}
	}
	return nil
}

func (k *Key) header() string {
	if k.Header == "" {
		return DefaultKeyHeader
	}
	return k.Header
}

// stores tells whether a response with this status is kept for replay. By
// default what says "not now" or "not you" isn't: the same request may fare
// better later.
func (op *Operation) stores(status int) bool {
	if op.Store != nil {
		for _, r := range op.Store {
			if status >= r.First && status <= r.Last {
				return true
			}
		}
		return false
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout,
		http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	}
	return status >= 200 && status < 500
}
