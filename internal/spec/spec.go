// Package spec reads the OpenAPI document: its operations in order, what
// x-idempotent says about each, and where everything stands. It trusts nothing in
// the document and never uses the network.
package spec

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// Document is an OpenAPI document. It is read-only and safe for concurrent use.
type Document struct {
	File       string       // as in messages
	Data       []byte       // as read, without overlays
	Version    string       // the openapi field, such as 3.0.3
	Operations []*Operation // those under paths that are served, in document order

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
	Tags   []string
	Path   string // as under paths, also when the path item is a $ref
	Pos    diag.Pos
	Len    int // of the method key

	Idempotent *Extension // nil: not marked
	Declined   bool       // x-idempotent: false

	node   *doctree.Node
	shared *doctree.Node // the parameters of its path item, nil when there are none
}

// Identity is what records are kept under: x-idempotent's name, else operationId.
func (o *Operation) Identity() string {
	if o.Idempotent != nil && o.Idempotent.Name != "" {
		return o.Idempotent.Name
	}
	return o.ID
}

// Extension is the content of x-idempotent, with defaults filled in: those of
// the extension, and what the document says of the same things.
type Extension struct {
	Pos         diag.Pos // of the key x-idempotent
	Len         int
	Name        string // "" when absent, see Operation.Identity
	Key         Key
	Scope       Scope
	Fingerprint Fingerprint
	TTL         time.Duration // Defaults to 24 hours.
	Wait        time.Duration // Defaults to 0.
	Store       []StatusRange // Sorted, apart from each other. Nil is the runtime's default.
	KeepWrites  bool
	Isolation   string   // "" (the database's), read-committed, repeatable-read or serializable
	Query       string   // the sqlc query that is the whole business write, "" for a handler's
	QueryPos    diag.Pos // of its value
	QueryLen    int

	written map[string]doctree.Entry // the fields that are there, by their full names
}

// Key says where the idempotency key comes from and what it looks like.
type Key struct {
	Header               string    // Defaults to Idempotency-Key. Means nothing beside Pointers.
	Pointers             []Pointer // Into the request body; nil when the key is in a header.
	Required             bool      // Defaults to true.
	Format               string    // "" (any), uuid, ulid or opaque
	MinLength, MaxLength int       // 0 when absent
	Pattern              string    // A Go pattern; "" when absent.
}

// Scope says who shares the keys. Public excludes the rest.
type Scope struct {
	Public, Principal   bool
	PathParams, Headers []string // as the document and x-idempotent spell them
}

// Fingerprint says what of a request counts.
type Fingerprint struct {
	Include, Exclude []Pointer // at most one of them
	Headers          []string
}

// StatusRange is a range of HTTP statuses, both ends included.
type StatusRange struct{ First, Last int }

// Load reads the document at path, which messages call display, applies the
// overlays in their order, and checks what comes out. The Document is never nil, but
// only means something when the Set is empty.
func Load(path, display string, overlays ...Overlay) (*Document, *diag.Set) {
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
	if !d.overlay(src, overlays, diags) {
		return d, diags
	}
	if !d.checkVersion(diags) {
		return d, diags
	}
	w := newWalker(d, diags)
	w.operations()
	w.document()
	w.contracts()
	if !w.broken && found.Empty() {
		d.validate(w, diags)
	}
	return d, diags
}

// Serve leaves only those Operations for which keep is true. It belongs to loading:
// nothing else may use the Document yet.
func (d *Document) Serve(keep func(*Operation) bool) {
	d.Operations = slices.DeleteFunc(d.Operations, func(o *Operation) bool { return !keep(o) })
}

// Source returns the text of the document, of an overlay or of a file that the
// document refers to, by the name that positions have. It is a diag.Sources.
func (d *Document) Source(name string) ([]byte, bool) { return d.files.source(name) }
