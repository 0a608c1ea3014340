package changes

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/lock"
)

// Change is one difference in words.
type Change struct {
	// Subject is the identity of an operation, or what else has changed.
	Subject string
	Text    string
}

// Words lists what is different: operations, then schemas that stored answers
// refer to, then the methods to implement, then the table of the records.
func Words(in *Input) []Change {
	w := &words{in: in}
	pairs := in.pairs()
	for _, p := range pairs {
		w.operation(p)
	}
	for _, name := range slices.Sorted(maps.Keys(in.New.Schemas)) {
		if old, ok := in.Old.Schemas[name]; ok {
			w.schema("schema "+name, "", old, in.New.Schemas[name])
		}
	}
	w.methods(pairs)
	w.field("records", "table", in.Old.Record.Table, in.New.Record.Table)
	w.field("records", "schema", fmt.Sprint(in.Old.Record.Schema), fmt.Sprint(in.New.Record.Schema))
	return w.list
}

// Print writes changes for a terminal, and nothing when there are none.
func Print(w io.Writer, list []Change) error {
	if len(list) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(w, "changed since the last run:"); err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range list {
		if _, err := fmt.Fprintf(table, "  %s\t%s\n", diag.Escape(c.Subject), diag.Escape(c.Text)); err != nil {
			return err
		}
	}
	return table.Flush()
}

type words struct {
	in   *Input
	list []Change
}

func (w *words) add(subject, format string, args ...any) {
	w.list = append(w.list, Change{subject, fmt.Sprintf(format, args...)})
}

func (w *words) field(subject, name, old, new string) {
	if old != new {
		w.add(subject, "%s %s -> %s", name, orNone(old), orNone(new))
	}
}

func (w *words) fields(subject, name string, old, new []string) {
	w.field(subject, name, strings.Join(old, ", "), strings.Join(new, ", "))
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func (w *words) operation(p *pair) {
	switch {
	case p.added() && w.had(p):
		w.add(p.id, "idempotent now: %s %s", p.new.Method, p.new.Path)
		return
	case p.added():
		w.add(p.id, "added: %s %s", p.new.Method, p.new.Path)
		return
	case p.removed():
		w.add(p.id, "removed: %s %s", p.old.Method, p.old.Path)
		return
	case p.unmarked():
		w.add(p.id, "no longer idempotent: %s %s", p.source.Method, p.source.Path)
		return
	case p.renamed():
		w.add(p.id, "renamed: it was %s", p.oldID)
	default:
		w.field(p.id, "operationId", p.old.OperationID, p.new.OperationID)
	}
	w.field(p.id, "route", p.old.Method+" "+p.old.Path, p.new.Method+" "+p.new.Path)
	w.field(p.id, "key", p.old.Key, p.new.Key)
	w.field(p.id, "key required", yes(!p.old.Optional), yes(!p.new.Optional))
	w.fields(p.id, "key format", p.old.KeyFormat, p.new.KeyFormat)
	w.fields(p.id, "scope", p.old.Scope, p.new.Scope)
	w.fields(p.id, "fingerprint", p.old.Fingerprint, p.new.Fingerprint)
	w.fields(p.id, "parameters", p.old.Parameters, p.new.Parameters)
	w.field(p.id, "ttl", p.old.TTL, p.new.TTL)
	w.field(p.id, "wait", p.old.Wait, p.new.Wait)
	w.fields(p.id, "store", p.old.Store, p.new.Store)
	w.field(p.id, "keep-writes", yes(p.old.KeepWrites), yes(p.new.KeepWrites))
	w.field(p.id, "isolation", p.old.Isolation, p.new.Isolation)
	w.answers(p)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// had tells whether an operation was there before it became idempotent.
func (w *words) had(p *pair) bool { return slices.Contains(w.in.Old.Methods, w.in.Method(p.source)) }

func (w *words) answers(p *pair) {
	for _, key := range slices.Sorted(maps.Keys(union(p.old.Answers, p.new.Answers))) {
		old, before := p.old.Answers[key]
		now, after := p.new.Answers[key]
		switch {
		case !before:
			w.add(p.id, "answer %s added", key)
		case !after:
			w.add(p.id, "answer %s removed", key)
		default:
			w.schema(p.id, "answer "+key+" ", old, now)
		}
	}
}

// maxLines bounds what is said of one schema.
const maxLines = 10

func (w *words) schema(subject, prefix string, old, new lock.Schema) {
	said := 0
	for _, at := range slices.Sorted(maps.Keys(union(old, new))) {
		before, was := old[at]
		after, is := new[at]
		if before == after && was == is {
			continue
		}
		if said++; said > maxLines {
			continue
		}
		name := orValue(at)
		switch {
		case !was:
			w.add(subject, "%s%s added: %s", prefix, name, after)
		case !is:
			w.add(subject, "%s%s removed: %s", prefix, name, before)
		default:
			w.add(subject, "%s%s: %s -> %s", prefix, name, before, after)
		}
	}
	if said > maxLines {
		w.add(subject, "%sand %d more, see idemgen.lock", prefix, said-maxLines)
	}
}

func orValue(at string) string {
	if at == "" {
		return "as a whole"
	}
	return at
}

func union[V any](a, b map[string]V) map[string]bool {
	keys := map[string]bool{}
	for key := range a {
		keys[key] = true
	}
	for key := range b {
		keys[key] = true
	}
	return keys
}

// methods compares the Handlers interface. Only the transaction changes in the
// signature of a method that keeps its name.
func (w *words) methods(pairs []*pair) {
	const subject = "Handlers"
	old, now := w.in.Old.Methods, w.in.New.Methods
	for _, name := range now {
		if !slices.Contains(old, name) {
			w.add(subject, "%s added", name)
		}
	}
	for _, name := range old {
		if !slices.Contains(now, name) {
			w.add(subject, "%s removed", name)
		}
	}
	for _, p := range pairs {
		switch {
		case p.source == nil || !w.had(p):
		case p.added():
			w.add(subject, "%s takes a transaction now", w.in.Method(p.source))
		case p.unmarked():
			w.add(subject, "%s takes no transaction any more", w.in.Method(p.source))
		}
	}
}
