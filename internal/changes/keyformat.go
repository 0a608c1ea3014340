package changes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxKey is the length of the longest key.
const maxKey = 255

// limits are what a key must look like.
type limits struct {
	format, pattern string
	min, max        int
}

var formatLength = map[string]int{"uuid": 36, "ulid": 26}

// limitsOf reads a contract's words.
func limitsOf(words []string) limits {
	l := limits{min: 1, max: maxKey}
	for _, w := range words {
		if pattern, ok := strings.CutPrefix(w, "pattern "); ok {
			l.pattern = pattern
		} else if span, ok := strings.CutPrefix(w, "length "); ok {
			low, high, _ := strings.Cut(span, "..")
			if n, err := strconv.Atoi(low); err == nil {
				l.min = n
			}
			if n, err := strconv.Atoi(high); err == nil {
				l.max = n
			}
		} else {
			l.format = w
		}
	}
	if n := formatLength[l.format]; n > 0 {
		l.min, l.max = max(l.min, n), min(l.max, n)
	}
	return l
}

// keyFormat finds limits that keys which were valid before may not keep to.
func (h *hazards) keyFormat(p *pair) {
	was, is := limitsOf(p.old.KeyFormat), limitsOf(p.new.KeyFormat)
	var stricter []string
	switch {
	case is.format != "" && is.format != was.format:
		stricter = append(stricter, "be a "+strings.ToUpper(is.format))
	case is.min > was.min || is.max < was.max:
		stricter = append(stricter, fmt.Sprintf("have %d to %d characters", is.min, is.max))
	}
	if is.pattern != "" && is.pattern != was.pattern {
		stricter = append(stricter, fmt.Sprintf("match %q", is.pattern))
	}
	if len(stricter) == 0 {
		return
	}
	pos, length := p.source.FieldPos("key.format", "key.pattern", "key.minLength", "key.maxLength")
	for _, param := range h.in.Spec.Parameters(p.source) {
		declared := param.In == "header" && strings.EqualFold(p.new.Key, "header "+param.Name)
		if declared && pos == p.source.Idempotent.Pos {
			pos, length = param.Pos, param.Len // whose schema it is
		}
	}
	h.diags.Warnf(pos, length, RuleKeyFormat,
		"keys must %s now: a retry of a request from before the deploy whose key doesn't is refused with 400; widen it for the ttl of %s",
		strings.Join(slices.Clip(stricter), " and "), p.old.TTL)
}
