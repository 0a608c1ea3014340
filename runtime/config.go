package runtime

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Config configures an Engine. The zero value works for a service none of
// whose idempotent operations has keys for each principal.
type Config struct {
	// Principal names the caller of a request: a tenant, an account, an API
	// key's id; never empty. Keys of different principals never meet. An error
	// is answered with 401, or with the problem itself if it is a *Problem. It
	// is required when an operation's scope has the principal, and is called for
	// those operations only. It must be safe for concurrent use.
	Principal func(*http.Request) (string, error)

	// HandlerTimeout bounds the work of one handler. A client that hangs up
	// doesn't end it, so that its retry finds an answer. Defaults to 30 s.
	HandlerTimeout time.Duration

	// StoreTimeout bounds each step of the engine's own: getting a connection,
	// the claim, the commit, the look-up of a commit. Defaults to 5 s.
	StoreTimeout time.Duration

	// MaxRequestBody is the largest request body of an idempotent operation, in
	// bytes; a larger one is answered with 413. Defaults to 1 MiB.
	MaxRequestBody int64

	// MaxStoredResponse is the largest response body that is stored, in bytes.
	// A larger one reaches the first client whole, and its replays without
	// their body and with the header Idempotency-Replay: omitted. Defaults to
	// 1 MiB.
	MaxStoredResponse int64

	// ProblemType is the base URL of the type of every problem, to which its
	// code is appended. Defaults to none, which means about:blank (RFC 9457,
	// section 4.2.1).
	ProblemType string

	// MaxWaiters is how many duplicates may wait at once, in this process, for
	// requests in flight, where operations say that they do. Others are
	// answered with 409 at once. Defaults to 1,000.
	MaxWaiters int

	// Observer is told what happens, errors that clients don't see included.
	// Defaults to LogObserver{}.
	Observer Observer
}

func (c Config) withDefaults() Config {
	setDefault(&c.HandlerTimeout, 30*time.Second)
	setDefault(&c.StoreTimeout, 5*time.Second)
	setDefault(&c.MaxRequestBody, 1<<20)
	setDefault(&c.MaxStoredResponse, 1<<20)
	if c.MaxWaiters == 0 {
		c.MaxWaiters = 1000
	}
	if c.Observer == nil {
		c.Observer = LogObserver{}
	}
	return c
}

func (c Config) validate(operations []*Operation) error {
	if c.HandlerTimeout < 0 || c.StoreTimeout < 0 || c.MaxRequestBody < 0 || c.MaxStoredResponse < 0 || c.MaxWaiters < 0 {
		return errors.New("idem: a timeout or limit in Config is negative")
	}
	for _, op := range operations {
		if err := op.validate(); err != nil {
			return err
		}
		if op.Scope.Principal && c.Principal == nil {
			return fmt.Errorf("idem: operation %s has keys for each principal, so Config.Principal must say who calls", op.Name)
		}
	}
	return nil
}

func setDefault[T int64 | time.Duration](v *T, value T) {
	if *v == 0 {
		*v = value
	}
}
