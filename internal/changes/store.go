package changes

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/answers"
	"github.com/idemgen/idemgen/internal/spec"
)

// statuses are those that a contract's words keep.
func statuses(words []string) map[int]bool {
	kept := map[int]bool{}
	for _, w := range words {
		name, not := strings.CutPrefix(w, "!")
		first, last := statusRange(name)
		for status := first; status <= last && status < 600; status++ {
			if kept[status] = true; not {
				delete(kept, status)
			}
		}
	}
	return kept
}

// statusRange reads "201", "2XX", "410-415" and "default"; what is none of them
// is an empty range.
func statusRange(name string) (first, last int) {
	low, high, isRange := strings.Cut(name, "-")
	switch {
	case name == "default":
		return 200, 499
	case len(name) == 3 && strings.EqualFold(name[1:], "XX"):
		first, _ = strconv.Atoi(name[:1])
		return first * 100, first*100 + 99
	case !isRange:
		high = low
	}
	first, err := strconv.Atoi(low)
	last, err2 := strconv.Atoi(high)
	if err != nil || err2 != nil {
		return 1, 0
	}
	return first, last
}

// spans writes statuses as ranges, none of which leaves its class.
func spans(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 && list[j+1]%100 != 0 {
			j++
		}
		switch {
		case list[i]%100 == 0 && list[j] == list[i]+99:
			parts = append(parts, fmt.Sprintf("%dXX", list[i]/100))
		case i == j:
			parts = append(parts, strconv.Itoa(list[i]))
		default:
			parts = append(parts, fmt.Sprintf("%d-%d", list[i], list[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

func (h *hazards) store(p *pair) {
	now := statuses(p.new.Store)
	var gone []int
	for _, status := range slices.Sorted(maps.Keys(statuses(p.old.Store))) {
		if !now[status] {
			gone = append(gone, status)
		}
	}
	if len(gone) > 0 {
		h.warn(p, "store", RuleStore,
			"answers with %s aren't stored any more: what the handler wrote is undone, and a retry runs again where it got the same answer before; add them to store", spans(gone))
	}
}

// maxProblems bounds what is said of one answer.
const maxProblems = 3

// answers finds stored answers that the new document doesn't allow. Those whose
// status isn't stored any more are the store's business.
func (h *hazards) answers(p *pair) {
	now := statuses(p.new.Store)
	declared := h.in.Spec.Stored(p.source)
	for _, key := range slices.Sorted(maps.Keys(p.old.Answers)) {
		status, media, _ := strings.Cut(key, " ")
		if !overlaps(status, now) {
			continue
		}
		match := matching(declared, status, media)
		if match == nil {
			h.diags.Warnf(p.source.Pos, p.source.Len, RuleAnswer,
				"the answer %q isn't declared any more, but is stored and replayed; keep it declared for the ttl of %s", key, p.old.TTL)
			continue
		}
		problems := h.schemas.Compare(p.old.Answers[key], p.new.Answers[answers.Key(*match)])
		if len(problems) == 0 {
			continue
		}
		var parts []string
		for _, problem := range problems[:min(len(problems), maxProblems)] {
			parts = append(parts, problem.String())
		}
		if len(problems) > maxProblems {
			parts = append(parts, "and more")
		}
		h.diags.Warnf(match.Pos, match.Len, RuleAnswer,
			"stored answers %q may not be what is declared now: %s; make the schema take both for the ttl of %s", key, strings.Join(parts, ", "), p.old.TTL)
	}
}

func overlaps(status string, kept map[int]bool) bool {
	first, last := statusRange(status)
	for s := first; s <= last; s++ {
		if kept[s] {
			return true
		}
	}
	return false
}

// matching finds the response that an answer is declared as now: that of its
// status goes before that of its class, and the default comes last.
func matching(declared []spec.Stored, status, media string) *spec.Stored {
	names := []string{status}
	if len(status) == 3 && !strings.EqualFold(status[1:], "XX") {
		names = append(names, status[:1]+"XX")
	}
	names = append(names, "default")
	for _, name := range names {
		isDeclared := false
		for i := range declared {
			if !strings.EqualFold(declared[i].Status, name) {
				continue
			}
			isDeclared = true
			if covers(declared[i].Media, media) {
				return &declared[i]
			}
		}
		if isDeclared {
			return nil
		}
	}
	return nil
}

// covers tells whether a media type is, or is within, a declared one.
func covers(declared, media string) bool {
	kind, isRange := strings.CutSuffix(declared, "/*")
	switch {
	case strings.EqualFold(declared, media):
		return true
	case media == "" || !isRange:
		return false
	}
	return kind == "*" || strings.HasPrefix(strings.ToLower(media), strings.ToLower(kind)+"/")
}
