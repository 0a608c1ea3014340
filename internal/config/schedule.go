package config

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// cronFields are the five of a cron line, with their bounds. Names stand for
// the numbers from the lower bound on.
var cronFields = []struct {
	name     string
	min, max int
	names    []string
}{
	{"minute", 0, 59, nil},
	{"hour", 0, 23, nil},
	{"day of month", 1, 31, nil},
	{"month", 1, 12, []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	{"day of week", 0, 7, []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
}

// everySeconds is what pg_cron knows from version 1.5 on.
var everySeconds = regexp.MustCompile(`^(\d{1,2}) seconds?$`)

// schedule checks what pg_cron would only refuse when the migration is applied.
func (d *decoder) schedule(n *doctree.Node) {
	d.c.Cleanup.PGCron = strings.Join(strings.Fields(n.Value), " ")
	if problem := scheduleProblem(d.c.Cleanup.PGCron); problem != "" {
		d.report(n, RuleSchedule, `cleanup.pg_cron: %s; write five fields, such as "*/5 * * * *", or "30 seconds"`, problem)
	}
}

func scheduleProblem(schedule string) string {
	if m := everySeconds.FindStringSubmatch(schedule); m != nil {
		if n, err := strconv.Atoi(m[1]); err != nil || n < 1 || n > 59 {
			return m[1] + " seconds is not between 1 and 59"
		}
		return ""
	}
	values := strings.Fields(schedule)
	if len(values) != len(cronFields) {
		return strconv.Quote(schedule) + " is not a schedule"
	}
	for i, field := range cronFields {
		for part := range strings.SplitSeq(values[i], ",") {
			if !cronPart(part, field.min, field.max, field.names) {
				return strconv.Quote(part) + " doesn't fit the " + field.name
			}
		}
	}
	return ""
}

// cronPart is *, a value or a range, each with an optional step.
func cronPart(part string, lowest, highest int, names []string) bool {
	span, step, stepped := strings.Cut(part, "/")
	if stepped {
		if n, ok := number(step); !ok || n < 1 || n > highest {
			return false
		}
	}
	if span == "*" {
		return true
	}
	value := func(s string) (int, bool) {
		if i := slices.Index(names, strings.ToLower(s)); i >= 0 {
			return lowest + i, true
		}
		n, ok := number(s)
		return n, ok && n >= lowest && n <= highest
	}
	from, to, ranged := strings.Cut(span, "-")
	low, ok := value(from)
	if !ranged {
		return ok && !stepped // cron takes no 5/10
	}
	high, okTo := value(to)
	return ok && okTo && low <= high
}

// number takes digits only: strconv would take a sign.
func number(s string) (int, bool) {
	if s == "" || len(s) > 2 || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}
