package lock

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// The rules of this package.
const (
	ruleConflict = "lock/conflict" // markers of an unfinished merge
	ruleVersion  = "lock/version"  // written by a newer idemgen
	ruleDamaged  = "lock/damaged"  // not what Encode writes
)

// wayOut is the end of every message about a damaged lock.
const wayOut = "restore the file from version control"

// maxSize bounds the file; a service of hundreds of operations has less than 1 MiB.
const maxSize = 64 << 20

// Read reads the lock at path, which messages call display; nil if there is
// none. What an interrupted run did to the database's migrations is settled:
// those that were written count.
func Read(path, display string) (*Lock, *diag.Set, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, nil, err
	}
	l, diags := decode(display, data)
	if !diags.Empty() {
		return nil, diags, nil
	}
	return l, nil, l.settle(filepath.Dir(path))
}

func decode(display string, data []byte) (*Lock, *diag.Set) {
	diags := &diag.Set{}
	if len(data) > maxSize {
		diags.Addf(diag.Pos{File: display}, 0, ruleDamaged, "larger than %d MiB; %s", maxSize>>20, wayOut)
		return nil, diags
	}
	if line, length := conflict(data); line > 0 {
		diags.Addf(diag.Pos{File: display, Line: line, Col: 1}, length, ruleConflict,
			"a merge left its conflict here; keep either side of the whole file (git checkout --ours, or --theirs), and run idemgen generate")
		return nil, diags
	}
	parser := doctree.Parser{Rules: doctree.Rules{Syntax: ruleDamaged, Duplicate: ruleDamaged, Limit: ruleDamaged}}
	root, _, found := parser.Parse(display, data)
	for _, d := range found.All() {
		d.Message += "; " + wayOut
		diags.Add(d)
	}
	switch {
	case !diags.Empty():
		return nil, diags
	case root == nil || root.Kind != doctree.Map:
		diags.Addf(diag.Pos{File: display}, 0, ruleDamaged, "the file isn't a lock; %s", wayOut)
		return nil, diags
	}
	checkVersion(display, root, diags)
	if !diags.Empty() {
		return nil, diags
	}
	l := &Lock{}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(l); err != nil {
		addErrors(display, err, diags)
		return nil, diags
	}
	checkFiles(l, root, diags)
	return l, diags
}

// conflict finds the first marker of a merge: its line, 0 if there is none.
func conflict(data []byte) (line, length int) {
	for text := range bytes.Lines(data) {
		line++
		text = bytes.TrimRight(text, "\r\n")
		for _, marker := range []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
			if bytes.HasPrefix(text, []byte(marker)) {
				return line, len(marker)
			}
		}
	}
	return 0, 0
}

func checkVersion(display string, root *doctree.Node, diags *diag.Set) {
	node := root.Get("version")
	if node == nil {
		diags.Addf(diag.Pos{File: display}, 0, ruleDamaged, "there is no version; %s", wayOut)
		return
	}
	switch version, err := strconv.Atoi(node.Value); {
	case err != nil || version < Version:
		diags.Addf(node.Pos(), node.Len(), ruleDamaged, "%q is no version of this file; %s", node.Value, wayOut)
	case version > Version:
		diags.Addf(node.Pos(), node.Len(), ruleVersion,
			"a newer idemgen wrote this file: its version is %d, and this idemgen knows %d; use the newer one here too", version, Version)
	}
}

var (
	errorLine = regexp.MustCompile(`^line (\d+): `)
	goType    = regexp.MustCompile(` (in type|into) .*$`)
)

// addErrors turns those of the YAML library, which know their lines.
func addErrors(display string, err error, diags *diag.Set) {
	messages := []string{strings.TrimPrefix(err.Error(), "yaml: ")}
	var typeError *yaml.TypeError
	if errors.As(err, &typeError) {
		messages = typeError.Errors
	}
	for _, message := range messages {
		pos := diag.Pos{File: display}
		if m := errorLine.FindStringSubmatch(message); m != nil {
			pos.Line, _ = strconv.Atoi(m[1])
			message = message[len(m[0]):]
		}
		diags.Addf(pos, 0, ruleDamaged, "%s; %s", goType.ReplaceAllString(message, ""), wayOut)
	}
}

var hashText = regexp.MustCompile(fmt.Sprintf(`^[0-9a-f]{%d}$`, 2*hashSize))

// checkFiles checks what decides which files are overwritten and deleted: a
// lock is as little to be trusted as any file of a repository.
func checkFiles(l *Lock, root *doctree.Node, diags *diag.Set) {
	check := func(files *doctree.Node, hashes func(path string) []string) {
		if files == nil {
			return
		}
		for _, e := range files.Entries {
			checkPath(e.Key, diags)
			for _, hash := range hashes(e.Key.Value) {
				if !hashText.MatchString(hash) {
					diags.Addf(e.Value.Pos(), e.Value.Len(), ruleDamaged, "%q is no hash; %s", hash, wayOut)
				}
			}
		}
	}
	check(root.Get("files"), func(path string) []string { return []string{l.Files[path]} })
	if l.Pending == nil {
		return
	}
	pending := root.Get("pending")
	check(pending.Get("files"), func(path string) []string { return l.Pending.Files[path] })
	if migrations := pending.Get("migrations"); migrations != nil {
		for _, item := range migrations.Items {
			if path := item.Get("path"); path != nil {
				checkPath(path, diags)
			} else {
				diags.Addf(item.Pos(), item.Len(), ruleDamaged, "a migration without a path; %s", wayOut)
			}
		}
	}
}

func checkPath(node *doctree.Node, diags *diag.Set) {
	if p := filepath.FromSlash(node.Value); !filepath.IsLocal(p) || filepath.Clean(p) != p || p == "." || strings.Contains(node.Value, `\`) {
		diags.Addf(node.Pos(), node.Len(), ruleDamaged, "%q is no path of a generated file; %s", node.Value, wayOut)
	}
}

// settle makes the lock tell of the migrations that an interrupted run has
// written. They are written in order: behind one that isn't there, none is.
func (l *Lock) settle(dir string) error {
	if l.Pending == nil {
		return nil
	}
	for _, m := range l.Pending.Migrations {
		_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(m.Path)))
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
		l.Record, l.Tables = m.Record, m.Tables
	}
	l.Pending.Migrations = nil
	return nil
}
