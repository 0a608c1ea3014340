package spec

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// maxSize bounds all the files of a document together.
const maxSize = 64 << 20

// files holds the document and the local files that its $refs name. The key of a
// file is its clean slash path relative to the document's folder, which is also
// what kin-openapi makes of a $ref, so that both speak of the same file.
type files struct {
	dir     string // of the document, on disk
	display string // of the document, in messages
	root    string // key of the document

	mu     sync.Mutex // kin-openapi may ask for files at each OpenAPI call
	parser doctree.Parser
	size   int
	byKey  map[string]*opened
	extra  []*doctree.File // of overlays, for source
	byFile map[*doctree.File]*source
	byURL  map[string]*source
}

type opened struct {
	src   *source
	diags *diag.Set
}

// source is one file.
type source struct {
	key  string
	data []byte
	file *doctree.File
	root *doctree.Node // nil when empty

	once  sync.Once
	text  []byte // see normal
	lines []line
}

func newFiles(name, display string) *files {
	return &files{
		dir: filepath.Dir(name), display: display, root: filepath.Base(name),
		byKey:  make(map[string]*opened),
		byFile: make(map[*doctree.File]*source),
		byURL:  make(map[string]*source),
	}
}

// open reads and parses a file, once. The source is nil when it can't be read; the
// Set says so at the file itself.
func (f *files) open(key string) (*source, *diag.Set) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o, ok := f.byKey[key]; ok {
		return o.src, o.diags
	}
	name := f.name(key)
	o := &opened{diags: new(diag.Set)}
	f.byKey[key] = o
	data, err := f.read(filepath.Join(f.dir, filepath.FromSlash(key)), key != f.root)
	if err != nil {
		o.diags.Addf(diag.Pos{File: name}, 0, RuleFile, "%s", err)
		return nil, o.diags
	}
	o.src = &source{key: key, data: data}
	f.parser.Rules = doctree.Rules{Syntax: RuleSyntax, Duplicate: RuleDuplicate, Limit: RuleLimit}
	o.src.root, o.src.file, o.diags = f.parser.Parse(name, data)
	f.byFile[o.src.file] = o.src
	f.byURL[(&url.URL{Path: key}).String()] = o.src
	return o.src, o.diags
}

// name is what messages call a file.
func (f *files) name(key string) string {
	if key == f.root {
		return f.display
	}
	dir := path.Dir(filepath.ToSlash(f.display))
	return filepath.FromSlash(path.Join(dir, key))
}

// read reads a file. One that a spec names must be regular: it must not make us
// wait for a pipe or a device.
func (f *files) read(name string, regular bool) ([]byte, error) {
	if regular {
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
			return nil, errors.New("not a regular file")
		}
	}
	h, err := os.Open(name)
	if err != nil {
		return nil, readError(err)
	}
	defer func() { _ = h.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(h, int64(maxSize-f.size)+1))
	if err != nil {
		return nil, readError(err)
	}
	if f.size += len(data); f.size > maxSize {
		return nil, fmt.Errorf("larger than %d MiB, with the other files of the document", maxSize>>20)
	}
	return data, nil
}

// readError leaves out the path, which the message starts with already.
func readError(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("the file does not exist")
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("cannot be read: %w", err)
}

func (f *files) source(name string) ([]byte, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, o := range f.byKey {
		if o.src != nil && o.src.file.Name == name {
			return o.src.data, true
		}
	}
	for _, x := range f.extra {
		if x.Name == name {
			return x.Text, true
		}
	}
	return nil, false
}

// of returns the source that a node was read from.
func (f *files) of(n *doctree.Node) *source {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.byFile[n.File()]
}

// at returns the source that kin-openapi calls by a URL.
func (f *files) at(location string) *source {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.byURL[location]
}

// resolve makes a key of the path in a $ref that stands in the file from.
func resolve(from *source, ref string) string {
	return path.Join(path.Dir(from.key), strings.TrimPrefix(ref, "./"))
}
