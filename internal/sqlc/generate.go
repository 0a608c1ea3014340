package sqlc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/diag"
)

// Job is one run of sqlc.
type Job struct {
	// Config is the path of sqlc's configuration among Files.
	Config string
	// Files is all that sqlc may read, by slash-separated path.
	Files map[string][]byte
	// Display turns such a path into the one that messages show.
	Display func(string) string
}

// Generate runs sqlc over the files of job and returns those that it made, at
// their paths. What sqlc says against its input comes as diagnostics with the
// positions that it gives. It is safe for concurrent use.
func Generate(ctx context.Context, job Job) (map[string][]byte, *diag.Set, error) {
	stage, err := os.MkdirTemp("", "idemgen-sqlc-")
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = os.RemoveAll(stage) }()
	if err := writeTree(stage, job.Files); err != nil {
		return nil, nil, err
	}
	// sqlc joins paths to the folder of its configuration, where it is run.
	dir, name := filepath.Split(filepath.FromSlash(job.Config))
	said, err := runChild(ctx, filepath.Join(stage, dir), name)
	if errors.Is(err, errFailed) {
		return nil, parseErrors(said, job), nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w\n%s", err, bytes.TrimSpace(said))
	}
	made, err := readTree(stage)
	if err != nil {
		return nil, nil, err
	}
	maps.DeleteFunc(made, func(path string, _ []byte) bool { _, given := job.Files[path]; return given })
	return made, nil, nil
}

var errorLine = regexp.MustCompile(`^(.+?):(\d+):(\d+): (.*)$`)

// parseErrors reads sqlc's `file:line:col: message` lines. What isn't one is
// kept too: nothing that sqlc says is lost.
func parseErrors(said []byte, job Job) *diag.Set {
	set := &diag.Set{}
	var other []string
	for line := range strings.Lines(string(said)) {
		line = strings.TrimRight(line, "\n")
		m := errorLine.FindStringSubmatch(line)
		if m == nil {
			if line != "" && !strings.HasPrefix(line, "# package ") {
				other = append(other, line)
			}
			continue
		}
		row, _ := strconv.Atoi(m[2])
		col, _ := strconv.Atoi(m[3])
		set.Addf(diag.Pos{File: job.Display(filepath.ToSlash(m[1])), Line: row, Col: col}, 0, "sqlc/query", "%s", m[4])
	}
	if len(other) > 0 || set.Empty() {
		set.Addf(diag.Pos{File: job.Display(job.Config)}, 0, "sqlc/failed", "sqlc: %s", strings.Join(other, "; "))
	}
	return set
}

func writeTree(root string, files map[string][]byte) error {
	for path, content := range files {
		path = filepath.Join(root, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func readTree(root string) (map[string][]byte, error) {
	tree := os.DirFS(root)
	files := map[string][]byte{}
	err := fs.WalkDir(tree, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files[path], err = fs.ReadFile(tree, path)
		return err
	})
	return files, err
}
