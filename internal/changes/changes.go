// Package changes says what is different between two revisions of a service, and
// what of it hurts the requests that are in flight while it is deployed.
package changes

import (
	"maps"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/lock"
	"github.com/idemgen/idemgen/internal/spec"
)

// Input is two revisions, and where the second one is written.
type Input struct {
	// Old is never nil.
	Old, New *lock.Lock
	Spec     *spec.Document
	// Method names the method of the Handlers interface.
	Method func(*spec.Operation) string
	// InLock finds what is only in the old lock, by the keys that lead there.
	InLock func(keys ...string) (diag.Pos, int)
	// InConfig finds a field of the configuration.
	InConfig func(field string) (diag.Pos, int)
}

// pair is an operation in both revisions, or in one.
type pair struct {
	id       string // the identity, of the new revision if it is there
	oldID    string // the identity before, "" for none
	old, new *lock.Operation
	source   *spec.Operation // nil when the document has it no more
}

func (p *pair) added() bool    { return p.old == nil }
func (p *pair) renamed() bool  { return p.old != nil && p.new != nil && p.oldID != p.id }
func (p *pair) removed() bool  { return p.new == nil && p.source == nil }
func (p *pair) unmarked() bool { return p.new == nil && p.source != nil }

// pairs matches the idempotent operations by identity, and those that are left by
// their route. They are sorted by identity.
func (in *Input) pairs() []*pair {
	var list []*pair
	left := maps.Clone(in.New.Operations)
	for _, id := range slices.Sorted(maps.Keys(in.Old.Operations)) {
		old := in.Old.Operations[id]
		p := &pair{id: id, oldID: id, old: &old}
		if now, ok := in.New.Operations[id]; ok {
			p.new, p.source = &now, in.marked(id)
			delete(left, id)
		}
		list = append(list, p)
	}
	for _, p := range list {
		if p.new != nil {
			continue
		}
		for _, id := range slices.Sorted(maps.Keys(left)) {
			if now := left[id]; route(&now) == route(p.old) {
				p.id, p.new, p.source = id, &now, in.marked(id)
				delete(left, id)
				break
			}
		}
		if p.new == nil {
			p.source = in.unmarked(p.old)
		}
	}
	for id, now := range left {
		list = append(list, &pair{id: id, new: &now, source: in.marked(id)})
	}
	slices.SortFunc(list, func(a, b *pair) int { return strings.Compare(a.id, b.id) })
	return list
}

func (in *Input) marked(id string) *spec.Operation {
	for _, op := range in.Spec.Operations {
		if op.Idempotent != nil && op.Identity() == id {
			return op
		}
	}
	return nil
}

// unmarked finds an operation that was idempotent: by its route, or else by its
// operationId.
func (in *Input) unmarked(old *lock.Operation) *spec.Operation {
	var same *spec.Operation
	for _, op := range in.Spec.Operations {
		switch {
		case op.Idempotent != nil:
		case op.Method == old.Method && shape(op.Path) == shape(old.Path):
			return op
		case op.ID != "" && op.ID == old.OperationID:
			same = op
		}
	}
	return same
}

func route(op *lock.Operation) string { return op.Method + " " + shape(op.Path) }

// shape is a path without the names of its parameters: requests don't have them.
func shape(path string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(path, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		b.WriteString("{}")
		_, path, _ = strings.Cut(rest, "}")
	}
}
