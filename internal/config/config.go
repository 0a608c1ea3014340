// Package config reads idemgen.yaml, version 1. It is strict: what it doesn't
// know it reports, with the position and a suggestion.
package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/diag/doctree"
)

// maxSize bounds the file; a configuration has a few hundred bytes.
const maxSize = 1 << 20

// Config is a checked configuration with its defaults filled in. All paths use
// slashes, are clean, and are relative to Dir.
type Config struct {
	Dir  string // directory of the file
	File string // as given by the user, for messages

	// Spec is the OpenAPI document. It may be outside of Dir.
	Spec string
	// Overlays are OpenAPI Overlay documents, applied to Spec in this order. They
	// may be outside of Dir.
	Overlays []string
	// API is where the server code goes.
	API struct {
		Dir     string // Defaults to api.
		Package string // Defaults to the last element of Dir.
		Server  string // Defaults to std-http, the only one so far.
	}
	// OAPI holds options of oapi-codegen as they are written, for they are its own
	// to judge. Nil when there are none.
	OAPI *doctree.Node
	// Store is where sqlc's code for the idempotency records goes.
	Store struct {
		Dir     string // Defaults to internal/idemdb.
		Package string // Defaults to the last element of Dir.
		Table   string // Defaults to idempotency_records.
	}
	// DB is where the SQL goes.
	DB struct {
		Migrations string // Defaults to db/migrations.
		Queries    string // Defaults to db/queries.
	}
	// SQLC is the service's own sqlc configuration.
	SQLC struct {
		Config string // Defaults to none.
		Run    bool   // Defaults to false.
	}
	// Cleanup is how expired records are deleted, beside the service's Cleaner.
	Cleanup struct {
		// PGCron is pg_cron's schedule of the job that a migration makes, with
		// single spaces. Defaults to none.
		PGCron string
	}

	nodes map[string]*doctree.Node
}

// Load reads the configuration at path. The Config is never nil, but means
// something only when the Set is empty.
func Load(path string) (*Config, *diag.Set) {
	c := &Config{Dir: filepath.Dir(path), File: path, nodes: make(map[string]*doctree.Node)}
	diags := new(diag.Set)
	data, err := read(path)
	if err != nil {
		diags.Addf(diag.Pos{File: path}, 0, RuleFile, "%s", err)
		return c, diags
	}
	p := doctree.Parser{Rules: doctree.Rules{Syntax: RuleSyntax, Duplicate: RuleDuplicate, Limit: RuleLimit}}
	root, _, found := p.Parse(path, data)
	diags.Merge(found)
	if root == nil || root.Kind != doctree.Map {
		switch {
		case root != nil && root.Kind != doctree.Null:
			diags.Addf(root.Pos(), root.Len(), RuleType, "the configuration is %s, not a mapping; start with \"version: 1\"", root.Kind)
		case diags.Empty():
			diags.Addf(diag.Pos{File: path}, 0, RuleVersion, "the file is empty; start with \"version: 1\"")
		}
		return c, diags
	}
	d := decoder{c: c, diags: diags}
	d.mapping(root, "")
	d.finish()
	return c, diags
}

func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, errors.New("the file does not exist")
		}
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	if len(data) > maxSize {
		return nil, fmt.Errorf("larger than %d KiB", maxSize>>10)
	}
	return data, nil
}

// Pos returns where the value of a field such as "api.dir" stands; only the file
// when it has its default.
func (c *Config) Pos(field string) diag.Pos {
	if n := c.nodes[field]; n != nil {
		return n.Pos()
	}
	return diag.Pos{File: c.File}
}

// Len returns how many characters to underline at Pos.
func (c *Config) Len(field string) int {
	if n := c.nodes[field]; n != nil {
		return n.Len()
	}
	return 0
}
