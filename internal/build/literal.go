package build

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/idemgen/idemgen/internal/ir"
)

// fields are those of a composite literal. What has no value isn't added.
type fields []ir.Field

func (f *fields) add(name, value string) {
	if value != "" {
		*f = append(*f, ir.Field{Name: name, Value: value})
	}
}

func (f *fields) flag(name string, set bool) {
	if set {
		f.add(name, "true")
	}
}

func (f *fields) strings(name string, values []string) {
	if len(values) == 0 {
		return
	}
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = strconv.Quote(value)
	}
	f.add(name, "[]string{"+strings.Join(quoted, ", ")+"}")
}

// group adds a literal of a struct type.
func (f *fields) group(name, goType string, inner fields) {
	if len(inner) == 0 {
		return
	}
	parts := make([]string, len(inner))
	for i, field := range inner {
		parts[i] = field.Name + ": " + field.Value
	}
	f.add(name, goType+"{"+strings.Join(parts, ", ")+"}")
}

// duration writes d as Go code that reads well.
func duration(d time.Duration) string {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "time.Hour"}, {time.Minute, "time.Minute"}, {time.Second, "time.Second"}, {time.Millisecond, "time.Millisecond"}} {
		if d%unit.size == 0 {
			return fmt.Sprintf("%d * %s", d/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%d * time.Nanosecond", d)
}

// literal is a Go string literal, a raw one where that is possible.
func literal(s string) string {
	if strings.ContainsAny(s, "`\r\ufeff\x00") {
		return strconv.Quote(s)
	}
	return "`" + s + "`"
}
