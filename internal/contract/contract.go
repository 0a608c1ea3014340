// Package contract says what an operation promises, in words that a person, the
// lock file and a comparison of two revisions all read.
package contract

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/idemgen/idemgen/internal/spec"
)

// Operation is the contract of one idempotent operation. Every field is plain
// text, in one spelling, so that two of them can be compared.
type Operation struct {
	// OperationID is empty for none; the identity is kept beside the contract.
	OperationID string `yaml:"operationId,omitempty" json:"operationId,omitempty"`
	Method      string `yaml:"method" json:"method"`
	Path        string `yaml:"path" json:"path"`
	// Key is where the key comes from: "header Idempotency-Key", "body /event_id".
	Key string `yaml:"key" json:"key"`
	// Optional says that a request without a key runs without a record.
	Optional bool `yaml:"optional,omitempty" json:"optional,omitempty"`
	// KeyFormat is what the key must look like: "uuid", "length 8..64", "pattern ^a".
	KeyFormat []string `yaml:"keyFormat,omitempty,flow" json:"keyFormat,omitempty"`
	// Scope is who shares keys: "public", or "principal", "path:tenant", "header:X-Tenant".
	Scope []string `yaml:"scope,flow" json:"scope"`
	// Fingerprint is what must not change: "body", "body only /a", "body without /b", "header X".
	Fingerprint []string `yaml:"fingerprint,flow" json:"fingerprint"`
	TTL         string   `yaml:"ttl" json:"ttl"`
	// Wait is how long a duplicate waits; empty for not at all.
	Wait string `yaml:"wait,omitempty" json:"wait,omitempty"`
	// Store lists the statuses that are stored: "2XX", "409", "410-415".
	Store      []string `yaml:"store,flow" json:"store"`
	KeepWrites bool     `yaml:"keepWrites,omitempty" json:"keepWrites,omitempty"`
	Isolation  string   `yaml:"isolation,omitempty" json:"isolation,omitempty"`
}

// Of is the contract of an idempotent operation.
func Of(op *spec.Operation) Operation {
	ext := op.Idempotent
	c := Operation{
		OperationID: op.ID,
		Method:      op.Method,
		Path:        op.Path,
		Key:         key(ext.Key),
		Optional:    !ext.Key.Required,
		KeyFormat:   keyFormat(ext.Key),
		Scope:       scope(ext.Scope),
		Fingerprint: fingerprint(ext.Fingerprint),
		TTL:         Duration(ext.TTL),
		Store:       statuses(ext.Store),
		KeepWrites:  ext.KeepWrites,
		Isolation:   ext.Isolation,
	}
	if ext.Wait > 0 {
		c.Wait = Duration(ext.Wait)
	}
	return c
}

func key(k spec.Key) string {
	if k.Pointers == nil {
		return "header " + k.Header
	}
	text := "body"
	for _, p := range k.Pointers {
		text += " " + p.Text
	}
	return text
}

func keyFormat(k spec.Key) []string {
	var parts []string
	if k.Format != "" && k.Format != "opaque" {
		parts = append(parts, k.Format)
	}
	switch {
	case k.MinLength > 0 && k.MaxLength > 0:
		parts = append(parts, fmt.Sprintf("length %d..%d", k.MinLength, k.MaxLength))
	case k.MinLength > 0:
		parts = append(parts, fmt.Sprintf("length %d..", k.MinLength))
	case k.MaxLength > 0:
		parts = append(parts, fmt.Sprintf("length ..%d", k.MaxLength))
	}
	if k.Pattern != "" {
		parts = append(parts, "pattern "+k.Pattern)
	}
	return parts
}

// scope is sorted: the order of its parts means nothing.
func scope(s spec.Scope) []string {
	if s.Public {
		return []string{"public"}
	}
	var parts []string
	if s.Principal {
		parts = append(parts, "principal")
	}
	for _, p := range slices.Sorted(slices.Values(s.PathParams)) {
		parts = append(parts, "path:"+p)
	}
	for _, h := range slices.Sorted(slices.Values(s.Headers)) {
		parts = append(parts, "header:"+h)
	}
	return parts
}

func fingerprint(f spec.Fingerprint) []string {
	var parts []string
	for _, p := range f.Include {
		parts = append(parts, "body only "+p.Text)
	}
	for _, p := range f.Exclude {
		parts = append(parts, "body without "+p.Text)
	}
	if parts == nil {
		parts = []string{"body"}
	}
	for _, h := range f.Headers {
		parts = append(parts, "header "+h)
	}
	return parts
}

// DefaultStore is what is stored when an operation doesn't say: the runtime's
// own default.
func DefaultStore() []string { return slices.Clone(defaultStore) }

var defaultStore = []string{"2XX", "3XX", "4XX", "!401", "!403", "!408", "!425", "!429"}

func statuses(list []spec.StatusRange) []string {
	if list == nil {
		return DefaultStore()
	}
	var parts []string
	for _, r := range list {
		for first := r.First; first <= r.Last; {
			last := min(r.Last, first-first%100+99) // of the class
			switch {
			case first%100 == 0 && last%100 == 99:
				parts = append(parts, strconv.Itoa(first/100)+"XX")
			case first == last:
				parts = append(parts, strconv.Itoa(first))
			default:
				parts = append(parts, fmt.Sprintf("%d-%d", first, last))
			}
			first = last + 1
		}
	}
	return parts
}

// Duration writes d as in "24h", "1h30m", "2s": without units that are zero.
func Duration(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if n := len(text) - len(zero); n > 0 && text[n:] == zero {
			text = text[:n+1]
		}
	}
	return text
}
