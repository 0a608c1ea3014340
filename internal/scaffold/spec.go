package scaffold

import (
	"bytes"
	"path"
	"path/filepath"
	"strings"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/spec"
)

// source is the document that a service is made from.
type source struct {
	path, display string
	doc           *spec.Document
	// name is the document's in the service, files are all of its files there.
	name  string
	files map[string][]byte
}

// ruleFile is for a file of the document that can't be copied.
const ruleFile = "new/file"

// copies decides where the document's files go. A document in one file becomes
// openapi.yaml; others keep their names and places to each other, below openapi/.
func (s *source) copies() *diag.Set {
	diags := &diag.Set{}
	own := s.doc.Files()
	if len(own) == 1 {
		s.name = "openapi.yaml"
		if bytes.HasPrefix(bytes.TrimLeft(s.doc.Data, "\ufeff \t\r\n"), []byte("{")) {
			s.name = "openapi.json"
		}
		s.files = map[string][]byte{s.name: s.doc.Data}
		return diags
	}
	base, err := filepath.Abs(filepath.Dir(s.path))
	if err != nil {
		diags.Addf(diag.Pos{File: s.display}, 0, ruleFile, "%s", err)
		return diags
	}
	up := 0
	for key := range own {
		up = max(up, strings.Count(key, "../"))
	}
	prefix := "" // from the folder above all of them to that of the document
	for range up {
		prefix = path.Join(filepath.Base(base), prefix)
		base = filepath.Dir(base)
	}
	s.files = map[string][]byte{}
	for key, data := range own {
		name := path.Join("openapi", prefix, key)
		if !strings.HasPrefix(name, "openapi/") || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' }) {
			diags.Addf(diag.Pos{File: s.display}, 0, ruleFile, "it refers to the file %q, which can't be copied into the service; move it, or rename it", key)
		}
		s.files[name] = data
	}
	s.name = path.Join("openapi", prefix, filepath.Base(s.path))
	return diags
}
