// Package spec reads the OpenAPI document: its operations in order, what
// x-idempotent says about each, and where everything stands. It trusts nothing in
// the document and never uses the network.
package spec

import (
	"path/filepath"
	"time"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// Document is an OpenAPI document. It is read-only and safe for concurrent use.
type Document struct {
	File       string       // as in messages
	Data       []byte       // as read
	Version    string       // the openapi field, such as 3.0.3
	Operations []*Operation // those under paths, in document order

	root  *doctree.Node
	key   string // of the document in files
	files *files
}

// Operation is one method of one path.
type Operation struct {
	ID     string   // operationId, "" when absent
	IDPos  diag.Pos // of the operationId's value; zero when absent
	IDLen  int
	Method string // upper-case
	Path   string // as under paths, also when the path item is a $ref
	Pos    diag.Pos
	Len    int // of the method key

	Idempotent *Extension // nil: not marked
	Declined   bool       // x-idempotent: false

	node *doctree.Node
}

// Identity is what records are kept under: x-idempotent's name, else operationId.
func (o *Operation) Identity() string {
	if o.Idempotent != nil && o.Idempotent.Name != "" {
		return o.Idempotent.Name
	}
	return o.ID
}

// Extension is the content of x-idempotent, with defaults filled in. Positions of
// absent fields are zero.
type Extension struct {
	Pos     diag.Pos // of the key x-idempotent
	Len     int
	Name    string // "" when absent, see Operation.Identity
	NamePos diag.Pos
	Key     Key
	TTL     time.Duration // Defaults to 24 hours.
	TTLPos  diag.Pos
}

// Key says where the idempotency key comes from.
type Key struct {
	Pos       diag.Pos
	Header    string // Defaults to Idempotency-Key.
	HeaderPos diag.Pos
	HeaderLen int
	Required  bool   // Defaults to true.
	Format    string // "" (any), uuid, ulid or opaque
}

// Load reads the document at path, which messages call display, and checks it. The
// Document is never nil, but only means something when the Set is empty.
func Load(path, display string) (*Document, *diag.Set) {
	diags := new(diag.Set)
	d := &Document{File: display, key: filepath.Base(path)}
	d.files = newFiles(path, display)
	src, found := d.files.open(d.key)
	diags.Merge(found)
	if src == nil {
		return d, diags
	}
	d.Data = src.data
	d.root = src.root
	if !d.checkVersion(diags) {
		return d, diags
	}
	w := newWalker(d, diags)
	w.operations()
	w.document()
	if !w.broken && found.Empty() {
		d.validate(w, diags)
	}
	return d, diags
}

// Source returns the text of the document, or of a file that it refers to, by the
// name that positions have. It is a diag.Sources.
func (d *Document) Source(name string) ([]byte, bool) { return d.files.source(name) }
