package spec

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	day    = 24 * time.Hour
	minTTL = time.Second
	maxTTL = 3650 * day
)

var (
	isoDuration = regexp.MustCompile(`^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,9})?)S)?)?$`)
	isoCalendar = regexp.MustCompile(`^P(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:\d+D)?(?:T[0-9HMS.]*)?$`)
	daysOrWeeks = regexp.MustCompile(`^(\d{1,3}) ?(d|w)$`)
)

// parseTTL reads a Go duration or an ISO 8601 one. The problem, if any, completes
// `ttl: "..."`.
func parseTTL(s string) (ttl time.Duration, problem string) {
	ttl, ok := parseISO(s)
	if !ok {
		d, err := time.ParseDuration(s)
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
			return 0, "is not a duration; write 24h or PT24H"
		}
		ttl = d
	}
	switch {
	case ttl < 0:
		return 0, "is negative; write 24h or PT24H"
	case ttl < minTTL:
		return 0, "is too short; at least 1s is needed"
	case ttl > maxTTL:
		return 0, "is too long; at most 3650 days (P3650D) are allowed"
	}
	return ttl, ""
}

// parseISO reads weeks, days and times. Sums that overflow become the maximum,
// which is far beyond what is allowed.
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
	if total > 2*maxTTL.Seconds() {
		return 2 * maxTTL, true
	}
	return time.Duration(math.Round(total * float64(time.Second))), true
}
