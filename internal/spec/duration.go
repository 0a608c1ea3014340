package spec

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// durationRange says which durations a field takes.
type durationRange struct {
	min, max time.Duration
	example  string // as both kinds of duration, for messages
	shortest string // of the allowed, for messages
	longest  string
}

var (
	ttlRange  = durationRange{time.Second, 3650 * day, "24h or PT24H", "at least 1s is needed", "at most 3650 days (P3650D) are allowed"}
	waitRange = durationRange{0, time.Minute, "2s or PT2S", "", "at most 60s is allowed"}
)

var (
	isoDuration = regexp.MustCompile(`^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,9})?)S)?)?$`)
	isoCalendar = regexp.MustCompile(`^P(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:\d+D)?(?:T[0-9HMS.]*)?$`)
	daysOrWeeks = regexp.MustCompile(`^(\d{1,3}) ?(d|w)$`)
)

// parse reads a Go duration or an ISO 8601 one. The problem, if any, completes
// `ttl: "..."`.
func (b durationRange) parse(s string) (d time.Duration, problem string) {
	d, ok := parseISO(s)
	if !ok {
		var err error
		d, err = time.ParseDuration(s)
		switch {
		case err != nil && isoCalendar.MatchString(s) && len(s) > 1:
			return 0, "has years or months, whose length varies; write days, as in P30D"
		case err != nil && daysOrWeeks.MatchString(s):
			m := daysOrWeeks.FindStringSubmatch(s)
			n, _ := strconv.Atoi(m[1])
			if m[2] == "w" {
				n *= 7
			}
			return 0, fmt.Sprintf("is not a duration; write %dh or P%s%s", n*24, m[1], strings.ToUpper(m[2]))
		case err != nil:
			// ParseDuration says the same of an overflow as of nonsense.
			return 0, "is not a duration; write " + b.example
		}
	}
	switch {
	case d < 0:
		return 0, "is negative; write " + b.example
	case d < b.min:
		return 0, "is too short; " + b.shortest
	case d > b.max:
		return 0, "is too long; " + b.longest
	}
	return d, ""
}

// parseISO reads weeks, days and times. Sums that overflow become the maximum,
// which is far beyond what any field allows.
func parseISO(s string) (time.Duration, bool) {
	m := isoDuration.FindStringSubmatch(s)
	if m == nil || strings.HasSuffix(s, "T") || s == "P" {
		return 0, false
	}
	total := 0.0
	for i, unit := range []time.Duration{7 * day, day, time.Hour, time.Minute, time.Second} {
		if m[i+1] == "" {
			continue
		}
		n, err := strconv.ParseFloat(m[i+1], 64)
		if err != nil {
			n = math.MaxInt32
		}
		total += n * unit.Seconds()
	}
	const most = 2 * 3650 * day
	if total > most.Seconds() {
		return most, true
	}
	return time.Duration(math.Round(total * float64(time.Second))), true
}
