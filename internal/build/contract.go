package build

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/ir"
	"github.com/idemgen/idemgen/internal/oapi"
	"github.com/idemgen/idemgen/internal/spec"
	"github.com/idemgen/idemgen/internal/text"
)

// The runtime's own defaults aren't written out.
const (
	defaultKeyHeader = "Idempotency-Key"
	maxKeyLength     = 255
)

// contract writes x-idempotent as the runtime's Operation.
func contract(def *oapi.Operation, source *spec.Operation) *ir.Contract {
	c := &ir.Contract{Var: "contract" + def.GoName, Answer: text.LowerFirst(def.GoName) + "Answer"}
	for i, goType := range def.Args {
		c.Params += fmt.Sprintf(", p%d %s", i+1, goType)
		c.Args += fmt.Sprintf(", p%d", i+1)
	}
	ext := source.Idempotent
	var f fields
	f.add("Name", strconv.Quote(source.Identity()))
	f.group("Key", "idem.Key", key(ext.Key))
	f.group("Scope", "idem.Scope", scope(def, ext.Scope))
	f.group("Fingerprint", "idem.Fingerprint", fingerprint(def, ext.Fingerprint))
	f.add("TTL", duration(ext.TTL))
	if ext.Wait > 0 {
		f.add("Wait", duration(ext.Wait))
	}
	f.add("Store", statusRanges(ext.Store))
	f.flag("KeepWrites", ext.KeepWrites)
	f.add("Isolation", isolations[ext.Isolation])
	f.strings("ResponseHeaders", def.ResponseHeaders)
	f.flag("StreamedBody", def.StreamedBody)
	c.Fields = f
	return c
}

func key(k spec.Key) fields {
	var f fields
	if k.Pointers == nil && k.Header != defaultKeyHeader {
		f.add("Header", strconv.Quote(k.Header))
	}
	f.strings("Pointers", pointers(k.Pointers))
	f.flag("Optional", !k.Required)
	f.add("Format", keyFormats[k.Format])
	if k.MinLength > 1 {
		f.add("MinLength", strconv.Itoa(k.MinLength))
	}
	if k.MaxLength > 0 && k.MaxLength < maxKeyLength {
		f.add("MaxLength", strconv.Itoa(k.MaxLength))
	}
	if k.Pattern != "" {
		f.add("Pattern", "regexp.MustCompile("+quotePattern(k.Pattern)+")")
	}
	return f
}

var keyFormats = map[string]string{"uuid": "idem.KeyUUID", "ulid": "idem.KeyULID"}

// quotePattern leaves a pattern readable where Go can: its backslashes single.
func quotePattern(pattern string) string {
	if strconv.CanBackquote(pattern) {
		return "`" + pattern + "`"
	}
	return strconv.Quote(pattern)
}

// scope sorts the parts: records are found by them in this order, and in the
// document their order means nothing.
func scope(def *oapi.Operation, s spec.Scope) fields {
	var f fields
	f.flag("Public", s.Public)
	f.flag("Principal", s.Principal)
	var params []string
	for _, name := range slices.Sorted(slices.Values(s.PathParams)) {
		for _, p := range def.PathParams {
			if p.Name == name {
				params = append(params, p.PathValue)
			}
		}
	}
	f.strings("PathParams", params)
	f.strings("Headers", slices.SortedFunc(slices.Values(s.Headers), func(a, b string) int {
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	}))
	return f
}

func fingerprint(def *oapi.Operation, p spec.Fingerprint) fields {
	var f fields
	var params []string
	for _, p := range def.PathParams {
		params = append(params, p.PathValue)
	}
	f.strings("PathParams", params)
	f.strings("QueryParams", def.QueryParams)
	f.strings("Include", pointers(p.Include))
	f.strings("Exclude", pointers(p.Exclude))
	f.strings("Headers", p.Headers)
	return f
}

func pointers(list []spec.Pointer) []string {
	var texts []string
	for _, p := range list {
		texts = append(texts, p.Text)
	}
	return texts
}

func statusRanges(list []spec.StatusRange) string {
	if list == nil {
		return ""
	}
	ranges := make([]string, len(list))
	for i, r := range list {
		ranges[i] = fmt.Sprintf("{First: %d, Last: %d}", r.First, r.Last)
	}
	return "[]idem.StatusRange{" + strings.Join(ranges, ", ") + "}"
}

var isolations = map[string]string{
	"read-committed":  "pgx.ReadCommitted",
	"repeatable-read": "pgx.RepeatableRead",
	"serializable":    "pgx.Serializable",
}

// pgxImport needs no name, though it ends in a version.
const pgxImport = "github.com/jackc/pgx/v5"

// contractImports are those of the contract, path by name.
func contractImports(ext *spec.Extension) map[string]string {
	imports := map[string]string{"time": "time"} // the ttl
	if ext.Key.Pattern != "" {
		imports["regexp"] = "regexp"
	}
	if ext.Isolation != "" {
		imports["pgx"] = pgxImport
	}
	return imports
}
