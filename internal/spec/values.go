package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

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
	r.ext.Name = e.Value.Value
}

func (r *reader) ttl(e doctree.Entry) {
	if d, ok := r.duration(e, "ttl", RuleTTL, ttlRange); ok {
		r.ext.TTL = d
	}
}

func (r *reader) wait(e doctree.Entry) {
	if d, ok := r.duration(e, "wait", RuleWait, waitRange); ok {
		r.ext.Wait = d
	}
}

func (r *reader) duration(e doctree.Entry, name, rule string, bounds durationRange) (time.Duration, bool) {
	v := e.Value
	switch v.Kind {
	case doctree.Int:
		r.report(v, rule, "%s: %s has no unit; write %s", name, quoted(v), bounds.example)
	case doctree.Float:
		r.report(v, rule, "%s: %s is not a duration; write %s", name, quoted(v), bounds.example)
	case doctree.String:
		d, problem := bounds.parse(v.Value)
		if problem == "" {
			return d, true
		}
		r.report(v, rule, "%s: %s %s", name, quoted(v), problem)
	default:
		r.wrongType(e, name, "a duration such as "+bounds.example)
	}
	return 0, false
}

func (r *reader) keepWrites(e doctree.Entry) {
	if e.Value.Kind != doctree.Bool {
		r.wrongType(e, "keep-writes", "true or false")
		return
	}
	r.ext.KeepWrites = e.Value.True()
}

var isolationLevels = []string{"read-committed", "repeatable-read", "serializable"}

func (r *reader) isolation(e doctree.Entry) {
	if s, ok := r.choice(e, "isolation", RuleIsolation, "an isolation level", isolationLevels); ok {
		r.ext.Isolation = s
	}
}

// choice reads one of a few words; what names them in messages.
func (r *reader) choice(e doctree.Entry, name, rule, what string, choices []string) (string, bool) {
	last := len(choices) - 1
	list := strings.Join(choices[:last], ", ") + " or " + choices[last]
	if e.Value.Kind != doctree.String {
		r.wrongType(e, name, list)
		return "", false
	}
	if slices.Contains(choices, e.Value.Value) {
		return e.Value.Value, true
	}
	hint := diag.DidYouMean(e.Value.Value, choices)
	if hint == "" {
		hint = "; write " + list
	}
	r.report(e.Value, rule, "%s: %s is not %s%s", name, quoted(e.Value), what, hint)
	return "", false
}

// items returns the entries of a list that must not be empty.
func (r *reader) items(e doctree.Entry, name, rule, want string) []*doctree.Node {
	if e.Value.Kind != doctree.Seq {
		r.wrongType(e, name, want)
		return nil
	}
	if len(e.Value.Items) == 0 {
		r.report(e.Key, rule, "%s is empty; write %s, or leave it out", name, want)
	}
	return e.Value.Items
}

// wrongItem reports an item of a list that isn't what it should be.
func (r *reader) wrongItem(item *doctree.Node, name, want string) {
	r.wrongType(doctree.Entry{Key: r.ext.written[name].Key, Value: item}, "an item of "+name, want)
}
