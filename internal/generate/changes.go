package generate

import (
	"os"
	"path/filepath"

	"github.com/idemgen/idemgen/internal/answers"
	"github.com/idemgen/idemgen/internal/changes"
	"github.com/idemgen/idemgen/internal/contract"
	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/lock"
	"github.com/idemgen/idemgen/internal/spec"
)

// recordOperations writes down the contracts, and what stored answers look like.
func recordOperations(l *lock.Lock, doc *spec.Document) {
	byOperation, schemas := answers.Record(doc)
	l.Operations, l.Schemas = map[string]lock.Operation{}, schemas
	for _, op := range doc.Operations {
		if op.Idempotent != nil {
			l.Operations[op.Identity()] = lock.Operation{
				Operation:  contract.Of(op),
				Parameters: changes.Parameters(doc, op),
				Answers:    byOperation[op.Identity()],
			}
		}
	}
}

// Changes says what is different from the run before, and warns of what of it
// hurts requests in flight. Without a run before there is nothing to say.
func (g *Generated) Changes() ([]changes.Change, *diag.Set) {
	if g.Old == nil {
		return nil, nil
	}
	in := &changes.Input{Old: g.Old, New: g.New, Spec: g.Spec, Method: g.method, InLock: g.inLock, InConfig: g.inConfig}
	return changes.Words(in), changes.Hazards(in)
}

// method names the method of the Handlers interface.
func (g *Generated) method(op *spec.Operation) string {
	for i := range g.Service.Operations {
		if o := &g.Service.Operations[i]; o.Method == op.Method && o.Path == op.Path {
			return o.GoName
		}
	}
	return ""
}

func (g *Generated) inLock(keys ...string) (diag.Pos, int) {
	name := lock.NameFor(g.Config.File)
	data, err := os.ReadFile(filepath.Join(g.Config.Dir, name))
	if err != nil { // it is gone since it was read: the file is all that is known
		data = nil
	}
	return lock.Find(g.Display(name), data, keys...)
}

func (g *Generated) inConfig(field string) (diag.Pos, int) {
	return g.Config.Pos(field), g.Config.Len(field)
}
