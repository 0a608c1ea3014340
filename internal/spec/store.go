package spec

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/idemgen/idemgen/internal/diag/doctree"
)

const storeWant = "classes 2XX to 4XX or statuses 200 to 499"

var (
	statusClass  = regexp.MustCompile(`^([1-5])[Xx]{2}$`)
	singleStatus = regexp.MustCompile(`^[1-5][0-9]{2}$`)
)

func (r *reader) store(e doctree.Entry) {
	items := r.items(e, "store", RuleStore, "a list such as [2XX, 409]")
	var list []StatusRange
	for _, item := range items {
		if s, ok := r.statuses(item); ok {
			list = append(list, s)
		}
	}
	if len(list) == 0 || len(list) < len(items) {
		return // reported; what was meant to be stored isn't known
	}
	if !slices.ContainsFunc(list, func(s StatusRange) bool { return s.First < 300 }) {
		r.report(e.Key, RuleStore, "store has no success status, so each retry would run again; add 2XX, or the ones that the operation answers with")
		return
	}
	r.ext.Store = merged(list)
}

// statuses reads an item, which is a class or a single status.
func (r *reader) statuses(n *doctree.Node) (s StatusRange, ok bool) {
	if n.Kind != doctree.String && n.Kind != doctree.Int {
		r.wrongItem(n, "store", storeWant)
		return s, false
	}
	text := n.Value
	if n.Kind == doctree.Int {
		text = n.JSON()
	}
	switch m := statusClass.FindStringSubmatch(text); {
	case m != nil:
		first, _ := strconv.Atoi(m[1] + "00") // three digits
		s = StatusRange{first, first + 99}
	case singleStatus.MatchString(text):
		status, _ := strconv.Atoi(text)
		s = StatusRange{status, status}
	default:
		r.report(n, RuleStore, "store: %s is not a status; write %s", quoted(n), storeWant)
		return s, false
	}
	switch {
	case s.First < 200:
		r.report(n, RuleStore, "store: %s is not the end of an answer; write %s", quoted(n), storeWant)
	case s.First >= 500:
		r.report(n, RuleStore, "store: %s is a server error, which says that the request wasn't done: its retry must run; write %s", quoted(n), storeWant)
	default:
		return s, true
	}
	return s, false
}

// merged sorts ranges and joins those that touch.
func merged(list []StatusRange) []StatusRange {
	slices.SortFunc(list, func(a, b StatusRange) int { return a.First - b.First })
	out := list[:1]
	for _, s := range list[1:] {
		if last := &out[len(out)-1]; s.First <= last.Last+1 {
			last.Last = max(last.Last, s.Last)
		} else {
			out = append(out, s)
		}
	}
	return out
}
