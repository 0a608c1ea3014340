package spec

import (
	"mime"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// Stored is a response of an operation whose answers may be stored.
type Stored struct {
	// Status is the key under responses: a status, a class such as 2XX, or default.
	Status string
	// Media is the media type without parameters, "" for a response without a body.
	Media string
	// Schema is nil when the document has none.
	Schema *Schema
	// Pos is where the status stands, and Len how many characters it has.
	Pos diag.Pos
	Len int
}

// Stored lists the responses of a marked operation that its store may keep, in
// document order: one for each media type.
func (d *Document) Stored(o *Operation) []Stored {
	responses := o.node.Get("responses")
	if responses == nil || o.Idempotent == nil {
		return nil
	}
	w := &walker{doc: d, files: d.files}
	var list []Stored
	for _, e := range responses.Entries {
		if !o.Idempotent.MayStore(e.Key.Value) {
			continue
		}
		s := Stored{Status: e.Key.Value, Pos: e.Key.Pos(), Len: e.Key.Len()}
		content := w.target(e.Value).Get("content")
		if content == nil || len(content.Entries) == 0 {
			list = append(list, s)
			continue
		}
		for _, m := range content.Entries {
			s.Media, s.Schema = m.Key.Value, nil
			if name, _, err := mime.ParseMediaType(m.Key.Value); err == nil {
				s.Media = name
			}
			if schema := w.target(m.Value).Get("schema"); schema != nil {
				s.Schema = w.conjunction([]*doctree.Node{schema})
			}
			list = append(list, s)
		}
	}
	return list
}

// Parameter is a declared parameter of an operation.
type Parameter struct {
	Name, In string
	Required bool
	// Pos is where its name, or the $ref that stands for it, is written.
	Pos diag.Pos
	Len int
}

// Parameters lists those of the operation, then those of its path.
func (d *Document) Parameters(o *Operation) []Parameter {
	w := &walker{doc: d, files: d.files}
	var list []Parameter
	for _, p := range w.parameters(o) {
		required := p.node.Get("required")
		list = append(list, Parameter{
			Name: p.name, In: p.in, Required: required != nil && required.True(),
			Pos: p.place.Pos(), Len: p.place.Len(),
		})
	}
	return list
}

// IsName reports whether s can be x-idempotent's name.
func IsName(s string) bool { return identity.MatchString(s) }

// FieldPos is where the first of these fields of x-idempotent is written, such
// as "key.header", or else the extension's key.
func (o *Operation) FieldPos(names ...string) (diag.Pos, int) {
	for _, name := range names {
		if e, ok := o.Idempotent.written[name]; ok {
			return place(e.Key, e.Value)
		}
	}
	return o.Idempotent.Pos, o.Idempotent.Len
}
