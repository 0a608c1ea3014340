package changes

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idemgen/idemgen/internal/answers"
	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/lock"
	"github.com/idemgen/idemgen/internal/spec"
)

// The rules of this package: what hurts requests in flight across a deploy.
// docs/reference/deploys.md has a section for each.
const (
	RuleRenamed     = "deploy/renamed"     // the identity changed
	RuleRemoved     = "deploy/removed"     // the operation is gone
	RuleUnmarked    = "deploy/unmarked"    // x-idempotent is gone
	RuleRoute       = "deploy/route"       // another method or path
	RuleScope       = "deploy/scope"       // other callers share keys
	RuleKey         = "deploy/key"         // the key comes from elsewhere
	RuleKeyFormat   = "deploy/key-format"  // fewer keys are valid
	RuleFingerprint = "deploy/fingerprint" // what makes two requests the same
	RuleParameters  = "deploy/parameters"  // parameters that retries lack, or have too many
	RuleTTL         = "deploy/ttl"         // answers are kept for less long
	RuleStore       = "deploy/store"       // fewer answers are kept
	RuleAnswer      = "deploy/answer"      // stored answers are not what is promised now
	RuleTable       = "deploy/table"       // the records are in another table
)

// Hazards warns of changes that hurt requests in flight: those that were sent
// before a deploy and are retried after it.
func Hazards(in *Input) *diag.Set {
	h := &hazards{in: in, diags: &diag.Set{}, schemas: answers.NewComparison(in.Old.Schemas, in.New.Schemas)}
	for _, p := range in.pairs() {
		if p.old != nil {
			h.operation(p)
		}
	}
	if was, is := in.Old.Record.Table, in.New.Record.Table; was != is {
		pos, length := in.InConfig("store.table")
		h.diags.Warnf(pos, length, RuleTable,
			"a migration renames %s to %s, and servers from before the deploy fail from then on until they are replaced; keep store.table: %s, or add the view that the migration has in a comment", was, is, was)
	}
	return h.diags
}

type hazards struct {
	in      *Input
	diags   *diag.Set
	schemas *answers.Comparison
}

func (h *hazards) operation(p *pair) {
	switch {
	case p.removed(), p.unmarked() && (p.source.Method != p.old.Method || shape(p.source.Path) != shape(p.old.Path)):
		pos, length := h.in.InLock("operations", p.oldID)
		h.diags.Warnf(pos, length, RuleRemoved,
			"%s %q is gone: a retry of a request from before the deploy doesn't get its answer; keep the operation, as deprecated, for its ttl of %s",
			p.old.Method, p.old.Path, p.old.TTL)
		return
	case p.unmarked():
		pos, length := p.source.Pos, p.source.Len
		h.diags.Warnf(pos, length, RuleUnmarked,
			"%s %q was idempotent: a retry of a request from before the deploy runs again; keep x-idempotent while clients retry such requests, for its ttl of %s",
			p.source.Method, p.source.Path, p.old.TTL)
		return
	}
	if p.renamed() {
		h.renamed(p)
	}
	if route(p.old) != route(p.new) {
		h.diags.Warnf(p.source.Pos, p.source.Len, RuleRoute,
			"%q was %s %q: a retry of a request from before the deploy goes there, and doesn't get its answer; keep the old operation beside this one, as deprecated, for its ttl of %s, and give this one a name of its own",
			p.id, p.old.Method, p.old.Path, p.old.TTL)
	}
	h.key(p)
	h.keyFormat(p)
	h.scope(p)
	h.fingerprint(p)
	h.parameters(p)
	h.ttl(p)
	h.store(p)
	h.answers(p)
}

func (h *hazards) warn(p *pair, field, rule, format string, args ...any) {
	pos, length := p.source.FieldPos(field)
	h.diags.Warnf(pos, length, rule, format, args...)
}

func (h *hazards) renamed(p *pair) {
	pos, length := p.source.FieldPos("name")
	if p.source.Idempotent.Name == "" {
		pos, length = p.source.IDPos, p.source.IDLen
	}
	wayOut := fmt.Sprintf("write x-idempotent: {name: %s}", p.oldID)
	if !spec.IsName(p.oldID) {
		wayOut = "keep the operationId"
	}
	h.diags.Warnf(pos, length, RuleRenamed,
		"records are kept under the operation's identity, which was %q and is %q: a retry of a request from before the deploy runs again; %s",
		p.oldID, p.id, wayOut)
}

func (h *hazards) key(p *pair) {
	if p.old.Optional && !p.new.Optional {
		h.warn(p, "key.required", RuleKey,
			"the key is required now: a request without one, new or a retry, is refused with 400; have all clients send one before you deploy this")
	}
	was, is := p.old.Key, p.new.Key
	oldHeader, fromHeader := strings.CutPrefix(was, "header ")
	newHeader, toHeader := strings.CutPrefix(is, "header ")
	switch {
	case was == is, fromHeader && toHeader && strings.EqualFold(oldHeader, newHeader):
	case fromHeader && toHeader:
		outcome := "is refused with 400"
		if p.new.Optional {
			outcome = "runs again, without a record"
		}
		h.warn(p, "key.header", RuleKey,
			"the key was in the header %q and is in %q: a retry that only has the first one %s; have clients send both before you deploy this", oldHeader, newHeader, outcome)
	default:
		field := "key.header"
		for _, name := range []string{"key.pointer", "key.natural"} {
			if pos, _ := p.source.FieldPos(name); pos != p.source.Idempotent.Pos {
				field = name
			}
		}
		h.warn(p, field, RuleKey,
			"the key was %s and is %s: a retry of a request from before the deploy has another key, and runs again or is refused; keep the old key for the ttl of %s, or make this a new operation",
			was, is, p.old.TTL)
	}
}

func (h *hazards) scope(p *pair) {
	if !sameSet(p.old.Scope, p.new.Scope) {
		h.warn(p, "scope", RuleScope,
			"the scope was %s and is %s: records of before the deploy aren't found, and their retries run again; keep the scope, or make this a new operation and keep the old one, as deprecated, for its ttl of %s",
			strings.Join(p.old.Scope, " + "), strings.Join(p.new.Scope, " + "), p.old.TTL)
	}
}

// sameSet compares words whose order means nothing, and the headers among them
// whose case doesn't.
func sameSet(a, b []string) bool {
	canonical := func(list []string) []string {
		var out []string
		for _, s := range list {
			if strings.HasPrefix(s, "header") {
				s = strings.ToLower(s)
			}
			out = append(out, s)
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(canonical(a), canonical(b))
}

func (h *hazards) fingerprint(p *pair) {
	const effect = "can't be compared with requests any more: until they expire, another request with the same key gets the old answer instead of 422"
	const wayOut = "nothing needs to be done if clients never use a key twice"
	chosen := !slices.Equal(p.new.Fingerprint, []string{"body"})
	switch {
	case !sameSet(p.old.Fingerprint, p.new.Fingerprint):
		pos, length := p.source.FieldPos("fingerprint.include", "fingerprint.exclude", "fingerprint.headers")
		h.diags.Warnf(pos, length, RuleFingerprint, "the fingerprint was %s and is %s: records of before the deploy %s; %s",
			strings.Join(p.old.Fingerprint, ", "), strings.Join(p.new.Fingerprint, ", "), effect, wayOut)
	case chosen && !slices.Equal(queries(p.old), queries(p.new)):
		pos, length := p.source.FieldPos("fingerprint.include", "fingerprint.exclude", "fingerprint.headers")
		h.diags.Warnf(pos, length, RuleFingerprint, "the query parameters, which are part of the fingerprint, have changed: records of before the deploy %s; %s", effect, wayOut)
	case !chosen:
		for _, name := range queries(p.old) {
			if !slices.Contains(queries(p.new), name) {
				h.diags.Warnf(p.source.Pos, p.source.Len, RuleParameters,
					"the query parameter %q isn't declared any more, and was part of the fingerprint: a retry that has it is refused with 422; keep it declared, as deprecated, for the ttl of %s", name, p.old.TTL)
			}
		}
	}
}

// queries names the declared query parameters.
func queries(op *lock.Operation) []string {
	var names []string
	for _, text := range op.Parameters {
		if name, ok := strings.CutPrefix(strings.TrimSuffix(text, " required"), "query "); ok {
			names = append(names, name)
		}
	}
	return names
}

func (h *hazards) parameters(p *pair) {
	for _, param := range h.in.Spec.Parameters(p.source) {
		text := parameterText(param)
		if !param.Required || !counts(p.source, param) || slices.Contains(p.old.Parameters, text) {
			continue
		}
		h.diags.Warnf(param.Pos, param.Len, RuleParameters,
			"the %s parameter %q is required now: a retry of a request from before the deploy that lacks it is refused with 400; let it be optional for the ttl of %s",
			param.In, param.Name, p.old.TTL)
	}
}

// counts leaves out the parameters of the path, which are in the path, and the key.
func counts(op *spec.Operation, p spec.Parameter) bool {
	key := op.Idempotent.Key
	isKey := p.In == "header" && key.Pointers == nil && strings.EqualFold(key.Header, p.Name)
	return p.In != "path" && !isKey
}

// Parameters lists those that requests have, as the lock does.
func Parameters(doc *spec.Document, op *spec.Operation) []string {
	var list []string
	for _, p := range doc.Parameters(op) {
		if counts(op, p) {
			list = append(list, parameterText(p))
		}
	}
	slices.Sort(list)
	return list
}

func parameterText(p spec.Parameter) string {
	text := p.In + " " + p.Name
	if p.Required {
		text += " required"
	}
	return text
}

func (h *hazards) ttl(p *pair) {
	was, err := time.ParseDuration(p.old.TTL)
	is, err2 := time.ParseDuration(p.new.TTL)
	if err == nil && err2 == nil && is < was {
		h.warn(p, "ttl", RuleTTL,
			"the ttl was %s and is %s: a client that retries for as long as it could before runs its request again; keep the old ttl until no client retries after %s",
			p.old.TTL, p.new.TTL, p.new.TTL)
	}
}
