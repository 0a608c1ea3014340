package build

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/idemgen/idemgen/internal/ir"
	"github.com/idemgen/idemgen/internal/oapi"
	"github.com/idemgen/idemgen/internal/spec"
)

// defaultKeyHeader is the runtime's own default, which isn't written out.
const defaultKeyHeader = "Idempotency-Key"

func operation(def *oapi.Operation, source *spec.Operation) ir.Operation {
	op := ir.Operation{
		GoName:       def.GoName,
		RequestType:  def.RequestType,
		ResponseType: def.ResponseType,
		Comment:      []string{comment(def)},
	}
	if source != nil && source.Idempotent != nil {
		op.Contract = contract(def, source)
		op.Comment = append(op.Comment, "What it writes through tx commits with the record of its answer.")
	}
	return op
}

func contract(def *oapi.Operation, source *spec.Operation) *ir.Contract {
	c := &ir.Contract{Var: "contract" + def.GoName, Answer: lowerFirst(def.GoName) + "Answer"}
	for i, goType := range def.Args {
		c.Params += fmt.Sprintf(", p%d %s", i+1, goType)
		c.Args += fmt.Sprintf(", p%d", i+1)
	}
	ext := source.Idempotent
	add := func(field, value string) { c.Fields = append(c.Fields, ir.Field{Name: field, Value: value}) }
	add("Name", strconv.Quote(source.Identity()))
	if key := key(ext.Key); key != "" {
		add("Key", "idem.Key{"+key+"}")
	}
	add("Scope", scope(def))
	if fingerprint := fingerprint(def); fingerprint != "" {
		add("Fingerprint", "idem.Fingerprint{"+fingerprint+"}")
	}
	add("TTL", duration(ext.TTL))
	if len(def.ResponseHeaders) > 0 {
		add("ResponseHeaders", stringSlice(def.ResponseHeaders))
	}
	if def.StreamedBody {
		add("StreamedBody", "true")
	}
	return c
}

// fields joins those of a composite literal that have a value.
type fields []string

func (f *fields) add(name, value string) { *f = append(*f, name+": "+value) }

func (f fields) String() string { return strings.Join(f, ", ") }

func key(k spec.Key) string {
	var f fields
	if k.Header != defaultKeyHeader {
		f.add("Header", strconv.Quote(k.Header))
	}
	if !k.Required {
		f.add("Optional", "true")
	}
	if format := keyFormats[k.Format]; format != "" {
		f.add("Format", format)
	}
	return f.String()
}

func scope(def *oapi.Operation) string {
	if def.Security {
		return "idem.Scope{Principal: true}"
	}
	return "idem.Scope{Public: true}"
}

func fingerprint(def *oapi.Operation) string {
	var f fields
	if len(def.PathParams) > 0 {
		f.add("PathParams", stringSlice(def.PathParams))
	}
	if len(def.QueryParams) > 0 {
		f.add("QueryParams", stringSlice(def.QueryParams))
	}
	return f.String()
}

var keyFormats = map[string]string{"uuid": "idem.KeyUUID", "ulid": "idem.KeyULID"}

// comment is one line of the method's comment. The spec's words are a
// stranger's: they stay on the line, without what can't be seen.
func comment(def *oapi.Operation) string {
	line := fmt.Sprintf("%s answers %s %s", def.GoName, def.Method, oneLine(def.Path))
	if summary := oneLine(def.Summary); summary != "" {
		line += ": " + summary
	}
	if !strings.HasSuffix(line, ".") {
		line += "."
	}
	return line
}

func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r) || r == utf8.RuneError:
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
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

func stringSlice(values []string) string {
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = strconv.Quote(value)
	}
	return "[]string{" + strings.Join(quoted, ", ") + "}"
}

func lowerFirst(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[size:]
}
