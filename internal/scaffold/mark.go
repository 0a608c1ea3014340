package scaffold

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/spec"
)

// overlayName is the file that marks operations of a document that doesn't.
const overlayName = "idempotency.overlay.yaml"

// mark is an operation that the overlay marks; ID is the operationId that it gives
// to one that has none.
type mark struct{ Target, ID string }

// marked tells whether the document has said anything about idempotency.
func marked(doc *spec.Document) bool {
	return slices.ContainsFunc(doc.Operations, func(o *spec.Operation) bool { return o.Idempotent != nil || o.Declined })
}

// marks are for every POST: it is the one method that is neither safe nor
// idempotent by itself whose use is to create. An operation in another file is
// out of an overlay's reach.
func marks(doc *spec.Document, document *openapi3.T) (list []mark, notes []string) {
	taken := map[string]bool{}
	for _, o := range doc.Operations {
		taken[o.ID] = true
	}
	for _, o := range doc.Operations {
		if o.Method != http.MethodPost {
			continue
		}
		if item := document.Paths.Value(o.Path); item == nil || item.Ref != "" {
			notes = append(notes, fmt.Sprintf("POST %s is in another file, where the overlay can't mark it: write x-idempotent there", o.Path))
			continue
		}
		m := mark{Target: "$.paths[" + jsonPathString(o.Path) + "].post"}
		if o.ID == "" {
			m.ID = unique(taken, strings.Trim("post-"+slug(o.Path), "-"))
		}
		list = append(list, m)
	}
	return list, notes
}

// unique takes the first of base, base-2, base-3, ... that isn't taken.
func unique(taken map[string]bool, base string) string {
	name := base
	for i := 2; taken[name]; i++ {
		name = fmt.Sprintf("%s-%d", base, i)
	}
	taken[name] = true
	return name
}

// jsonPathString quotes a name as RFC 9535 has it, on one line.
func jsonPathString(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range s {
		switch {
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// mark writes the overlay for a document that marks nothing, and reads the
// document anew with it.
func (s *service) mark() (*diag.Set, error) {
	if marked(s.source.doc) {
		return nil, nil
	}
	document, err := s.source.doc.OpenAPI()
	if err != nil {
		return nil, err
	}
	list, notes := marks(s.source.doc, document)
	s.notes = append(s.notes, notes...)
	if len(list) == 0 {
		return nil, nil
	}
	list, diags, err := s.acceptable(list)
	if err != nil || len(list) == 0 {
		return diags, err
	}
	s.overlay, s.marked = overlayName, len(list)
	diags, err = s.marking(list)
	return diags, err
}

// marking reads the document with an overlay that marks operations.
func (s *service) marking(list []mark) (*diag.Set, error) {
	content, err := execute("overlay.yaml.tmpl", map[string]any{"Marks": list})
	if err != nil {
		return nil, err
	}
	s.files[overlayName] = content
	if err := s.stage.write(map[string][]byte{overlayName: content}); err != nil {
		return nil, err
	}
	doc, diags := spec.Load(s.source.path, s.source.display, spec.Overlay{Path: s.stage.path(overlayName), Display: overlayName})
	s.source.doc = doc
	return diags, nil
}

// acceptable leaves out the operations that can't be idempotent as the document
// has them, and notes why. The diagnostics are the reasons if none is left.
func (s *service) acceptable(list []mark) (good []mark, diags *diag.Set, err error) {
	diags, err = s.marking(list)
	if err != nil || diags.Empty() {
		return list, nil, err
	}
	if len(list) == 1 {
		s.notes = append(s.notes, fmt.Sprintf("%s isn't marked: %s", list[0].Target, diags.All()[0].Message))
		return nil, diags, nil
	}
	for _, half := range [][]mark{list[:len(list)/2], list[len(list)/2:]} {
		some, _, err := s.acceptable(half)
		if err != nil {
			return nil, nil, err
		}
		good = append(good, some...)
	}
	return good, diags, nil
}
