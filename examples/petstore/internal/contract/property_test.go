package contract

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"
)

// propertyTime is for how long random histories are tried; PROPERTY_TIME=10m
// for a long run (with go test's own -timeout 0).
const propertyTime = 10 * time.Second

// Whatever several clients send to two servers at once, and whatever becomes of
// handlers, records and clients meanwhile: what is seen could have happened one
// after the other, with each key's work done once. A failure prints a seed and a
// plan that is as small as was found.
//
// It isn't parallel: the other tests would disturb its plans, and it their
// deadlines.
func TestRandomHistories(t *testing.T) {
	atMost := propertyTime
	if long := os.Getenv("PROPERTY_TIME"); long != "" {
		var err error
		if atMost, err = time.ParseDuration(long); err != nil {
			t.Fatal(err)
		}
	}
	w := newWorld(t, migrated(t))
	deadline := time.Now().Add(atMost)
	rejected := false
	for !rejected && time.Now().Before(deadline) {
		rapid.Check(t, func(rt *rapid.T) {
			p := plans.Draw(rt, "plan")
			// Threads have moods: a plan that is rejected once gets more chances.
			tries := 1
			if rejected {
				tries = 3
			} else if time.Now().After(deadline) {
				return
			}
			for range tries {
				if err := w.check(p); err != nil {
					rejected = true
					rt.Log(err) // times and ids in it: to rapid, another text is another failure
					rt.Fatal("the plan's history is rejected")
				}
			}
		})
	}
	t.Logf("%d histories", w.plans)
}

// checkTimeout is for one partition, which takes milliseconds.
const checkTimeout = 30 * time.Second

// check carries out a plan. The error is what can't have happened.
func (w *world) check(p plan) error {
	h, err := w.run(p)
	if err != nil {
		return err
	}
	for at, ops := range h.ops {
		markOverlaps(ops)
		switch porcupine.CheckOperationsTimeout(model, ops, checkTimeout) {
		case porcupine.Ok:
		case porcupine.Unknown:
			return fmt.Errorf("%s: not decided within %s:%s", at, checkTimeout, describe(ops))
		case porcupine.Illegal:
			return fmt.Errorf("%s: this can't have happened one after the other:%s", at, describe(ops))
		}
	}
	return nil
}

// markOverlaps notes which requests ran while another did.
func markOverlaps(ops []porcupine.Operation) {
	for i := range ops {
		out := ops[i].Output.(seen)
		for j, other := range ops {
			if i != j && other.Input.(step).kind == request && ops[i].Call <= other.Return && other.Call <= ops[i].Return {
				out.overlaps = true
			}
		}
		ops[i].Output = out
	}
}

// describe lists operations by the time at which they were called.
func describe(ops []porcupine.Operation) string {
	slices.SortFunc(ops, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	var b strings.Builder
	for _, op := range ops {
		const round = 10 * time.Microsecond
		in, out := op.Input.(step), op.Output.(seen)
		fmt.Fprintf(&b, "\n  %7s to %7s, client %d: %s", time.Duration(op.Call).Round(round), time.Duration(op.Return).Round(round), op.ClientId, in)
		fmt.Fprintf(&b, "\n      %s", out)
	}
	return b.String()
}

func (s seen) String() string {
	if s.outcome == done {
		return fmt.Sprintf("%d records expired, found rows %+v, records %+v", s.expired, []row(s.rows), s.records)
	}
	text := fmt.Sprintf("%s: %s", s.outcome, s.answer)
	if s.made != nil {
		text += fmt.Sprintf("; the handler made %s", s.made.answer)
	}
	return text
}
