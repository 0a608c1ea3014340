package spec

import (
	"net/url"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
	"github.com/idemgen/idemgen/internal/overlay"
)

// Overlay names an OpenAPI Overlay document.
type Overlay struct {
	Path    string
	Display string // what messages call it
}

// overlay applies overlays to the document. It returns false when it can't be
// told what they were to make of it: what the spec then says may be what they were
// to change.
func (d *Document) overlay(src *source, list []Overlay, diags *diag.Set) bool {
	if len(list) == 0 || src.root == nil || src.root.Kind != doctree.Map {
		return true
	}
	found := new(diag.Set)
	var read []*overlay.Overlay
	for _, o := range list {
		file, root, problems := d.files.overlay(o, src)
		if file != nil {
			if doc := overlay.Read(file, root, problems); doc != nil {
				d.extends(doc.Extends, o, problems)
				read = append(read, doc)
			}
		}
		found.Merge(problems)
	}
	root := overlay.Apply(src.root, read, found)
	diags.Merge(found)
	if !found.Empty() {
		return false
	}
	src.root, d.root = root, root
	return true
}

// extends checks that an overlay is made for this document. A URL says where it was
// published, which is not where we have it from.
func (d *Document) extends(n *doctree.Node, o Overlay, diags *diag.Set) {
	if n == nil {
		return
	}
	u, err := url.Parse(n.Value)
	if err == nil && u.Scheme != "" && u.Scheme != "file" {
		return
	}
	if err != nil || u.Scheme == "file" || u.Path == "" || u.Host != "" {
		diags.Addf(n.Pos(), n.Len(), overlay.RuleExtends, "extends: %q is not a path relative to this file", n.Value)
		return
	}
	want := filepath.Join(d.files.dir, d.files.root)
	named := filepath.FromSlash(u.Path)
	if !sameFile(filepath.Join(filepath.Dir(o.Path), named), want) {
		diags.Addf(n.Pos(), n.Len(), overlay.RuleExtends, "extends: the overlay is for %q, but it is applied to %q; remove extends if it fits both",
			filepath.Join(filepath.Dir(o.Display), named), d.File)
	}
}

func sameFile(a, b string) bool {
	infoA, err := os.Stat(a)
	if err != nil {
		return false
	}
	infoB, err := os.Stat(b)
	return err == nil && os.SameFile(infoA, infoB)
}

// overlay reads and parses an overlay for the document in src. What it brings is part
// of that document: its $refs are those of the document, not of the overlay's folder.
func (f *files) overlay(o Overlay, src *source) (*doctree.File, *doctree.Node, *diag.Set) {
	f.mu.Lock()
	defer f.mu.Unlock()
	data, err := f.read(o.Path, false)
	if err != nil {
		found := new(diag.Set)
		found.Addf(diag.Pos{File: o.Display}, 0, overlay.RuleFile, "%s", err)
		return nil, nil, found
	}
	f.parser.Rules = overlay.Syntax
	root, file, found := f.parser.Parse(o.Display, data)
	f.byFile[file] = src
	f.extra = append(f.extra, file)
	return file, root, found
}

// Effective returns the document with the overlays applied, as a YAML document node
// that is the caller's to change. Order, comments and style are kept, from the spec
// and from the overlays; a JSON document has only an order. Aliases are written out.
// $refs to other files are as they were. It is nil when the document can't be read.
func (d *Document) Effective() *yaml.Node {
	if d.root == nil {
		return nil
	}
	return d.root.YAML()
}
