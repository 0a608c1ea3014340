package enrich

import (
	"fmt"
	"strings"
	"time"

	"github.com/idemgen/idemgen/internal/contract"
	"github.com/idemgen/idemgen/internal/spec"
)

// promise is what x-idempotent means for those who call the operation.
func promise(ext *spec.Extension) string {
	key := "the same `" + ext.Key.Header + "`"
	if pointers := ext.Key.Pointers; pointers != nil {
		var names []string
		for _, p := range pointers {
			names = append(names, "`"+p.Text+"`")
		}
		last := len(names) - 1
		if key = "the same value at " + names[last] + " of the body"; last > 0 {
			key = "the same values at " + strings.Join(names[:last], ", ") + " and " + names[last] + " of the body"
		}
	}
	words := fmt.Sprintf("Safe to retry: a request that comes again with %s is done once. Its answer is kept for %s, and is what retries get.",
		key, inWords(ext.TTL))
	if !ext.Key.Required {
		words += " Without that key, it is done each time."
	}
	return words
}

// keyDescription is that of a header that the spec doesn't declare.
func keyDescription(k spec.Key) string {
	var what string
	switch k.Format {
	case "uuid":
		what = "A UUID"
	case "ulid":
		what = "A ULID"
	default:
		longest := k.MaxLength
		if longest == 0 {
			longest = maxKeyLength
		}
		if what = fmt.Sprintf("%d to %d printable ASCII characters", max(k.MinLength, 1), longest); longest == max(k.MinLength, 1) {
			what = fmt.Sprintf("%d printable ASCII characters", longest)
		}
	}
	words := "Names the request: a new one for each request, and the same at each of its retries. " + what +
		", bare or as a String of RFC 9651."
	if k.Pattern != "" && !portable(k.Pattern) {
		words += fmt.Sprintf(" It matches the RE2 pattern %q.", k.Pattern)
	}
	if !k.Required {
		words += " Without it, a retry is done again."
	}
	return words
}

// inWords writes a duration as people do: in the largest unit that has no rest.
func inWords(d time.Duration) string {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if d%unit.size != 0 || d == 24*time.Hour && unit.name == "day" {
			continue
		}
		if n := d / unit.size; n != 1 {
			return fmt.Sprintf("%d %ss", n, unit.name)
		}
		return "1 " + unit.name
	}
	return contract.Duration(d)
}

// isoDuration writes a duration for programs, as of ISO 8601.
func isoDuration(d time.Duration) string {
	return "PT" + strings.ToUpper(contract.Duration(d))
}
