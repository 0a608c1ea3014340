package contract

import (
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
)

// plan is what several clients do at once, each one step after the other.
type plan [][]step

// step is one thing that a client does.
type step struct {
	pause time.Duration // before the step
	kind  kind
	at    partition // of all kinds but clean

	// Of requests:
	server  int           // of the two
	body    int           // which of the bodies; another one is another request
	spelled int           // which spelling of the same key and body
	fault   fault         // of the handler, should this request be the one that is executed
	work    time.Duration // of the handler
	hangUp  time.Duration // after which the client is gone; 0: it stays
}

// partition is what an idempotency key is good for: histories of two
// partitions have nothing to do with each other.
type partition struct{ tenant, operation, key string }

func (p partition) String() string { return p.tenant + "-" + p.operation + "-" + p.key }

type kind string

const (
	request kind = "request"
	expire  kind = "expire"  // the key's record is made to have expired
	observe kind = "observe" // rows and record are read, in one snapshot
	clean   kind = "clean"   // a pass of a cleaner: nobody may notice
)

// fault is what a handler does after it has written its row.
type fault string

const (
	succeeds fault = "succeeds" // 201
	refuses  fault = "refuses"  // a 4xx that is stored
	fails    fault = "fails"    // an error: 500
	panics   fault = "panics"   // 500, from the service's own recoverer
	delays   fault = "delays"   // 401, which isn't stored
)

// The simplest choice comes first in each: that is where shrinking goes.
var plans = rapid.Custom(func(t *rapid.T) plan {
	p := plan(rapid.SliceOfN(rapid.SliceOfN(steps, 1, 8), 1, 5).Draw(t, "clients"))
	if oneOf(false, false, true).Draw(t, "crowded") {
		p.crowd()
	}
	return p
})

// crowd makes everybody come for one key, and nobody pause.
func (p plan) crowd() {
	for _, steps := range p {
		for i := range steps {
			steps[i].at, steps[i].pause, steps[i].work = partition{shoptest.Acme, createsPet, "a"}, 0, 0
		}
	}
}

var steps = rapid.Custom(func(t *rapid.T) step {
	s := step{
		kind:  oneOf(request, request, request, request, request, request, request, request, expire, observe, clean).Draw(t, "kind"),
		pause: pauses.Draw(t, "pause"),
	}
	if s.kind != clean {
		s.at = partition{
			tenant:    oneOf(shoptest.Acme, shoptest.Acme, shoptest.Globex).Draw(t, "tenant"),
			operation: oneOf(createsPet, createsPet, placesOrder).Draw(t, "operation"),
			key:       oneOf("a", "a", "b").Draw(t, "key"),
		}
	}
	if s.kind == request {
		s.server = oneOf(0, 1).Draw(t, "server")
		s.body = oneOf(0, 0, 0, 1).Draw(t, "body")
		s.spelled = oneOf(0, 1).Draw(t, "spelled")
		s.fault = oneOf(succeeds, succeeds, succeeds, succeeds, succeeds, refuses, fails, panics, delays).Draw(t, "fault")
		s.work = pauses.Draw(t, "work")
		s.hangUp = oneOf(0, 0, 0, 0, time.Millisecond, 4*time.Millisecond, 8*time.Millisecond).Draw(t, "hangUp")
	}
	return s
})

// pauses are coarse, so that a plan which fails once fails again.
var pauses = oneOf(0, 0, 0, 5*time.Millisecond, 10*time.Millisecond)

func oneOf[T any](choices ...T) *rapid.Generator[T] { return rapid.SampledFrom(choices) }

// GoString is what rapid prints.
func (p plan) GoString() string {
	var b strings.Builder
	for i, steps := range p {
		fmt.Fprintf(&b, "\n  client %d:", i)
		for _, s := range steps {
			b.WriteString("\n    " + s.String())
		}
	}
	return b.String()
}

func (s step) String() string {
	text := fmt.Sprintf("after %-4s %-7s", s.pause, s.kind)
	if s.kind != clean {
		text += " " + s.at.String()
	}
	if s.kind == request {
		text += fmt.Sprintf(" body %d, server %d, spelling %d; handler works %s and %s", s.body, s.server, s.spelled, s.work, s.fault)
		if s.hangUp > 0 {
			text += fmt.Sprintf("; client hangs up after %s", s.hangUp)
		}
	}
	return text
}
