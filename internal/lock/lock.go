// Package lock reads and writes idemgen.lock: what was generated last, as the
// next run, a check and a review need it.
package lock

import (
	"path/filepath"
	"strings"

	"github.com/idemgen/idemgen/internal/contract"
	"github.com/idemgen/idemgen/internal/tables"
)

// Name is that of the file, beside a configuration that is called idemgen.yaml.
const Name = "idemgen.lock"

// Version is that of the format that this package writes.
const Version = 1

// Lock is the content of the file.
type Lock struct {
	// Version is that of the file's format: 1.
	Version int `yaml:"version"`
	// Record is the schema of the record table, and its name.
	Record Record `yaml:"record"`
	// Operations are the contracts of the idempotent operations, by identity.
	Operations map[string]Operation `yaml:"operations,omitempty"`
	// Schemas are those that stored answers were checked against, by name.
	Schemas map[string]Schema `yaml:"schemas,omitempty"`
	// Methods are all methods of the Handlers interface, sorted.
	Methods []string `yaml:"methods,omitempty"`
	// Tables are the business tables that idemgen new scaffolded.
	Tables []tables.Table `yaml:"tables,omitempty"`
	// SQLC are the folders to which the service's own sqlc wrote, sorted.
	SQLC []string `yaml:"sqlc,omitempty"`
	// Files are the generated files, each with the hash of its content.
	Files map[string]string `yaml:"files,omitempty"`
	// Pending is what a run has begun. It is nil once the run is done.
	Pending *Pending `yaml:"pending,omitempty"`
}

// Record is the record table.
type Record struct {
	Schema int    `yaml:"schema"`
	Table  string `yaml:"table"`
}

// Operation is a contract, and the schemas of the answers that are stored.
type Operation struct {
	contract.Operation `yaml:",inline"`
	// Parameters are those that requests declare beside the path's: "query dry",
	// "header X-Shop required".
	Parameters []string `yaml:"parameters,omitempty,flow"`
	// Answers are schemas by "status media/type".
	Answers map[string]Schema `yaml:"answers,omitempty"`
}

// Schema is what a stored answer must look like: for each JSON pointer pattern
// its type and constraints in one line, so that a merge and a review see lines.
type Schema map[string]string

// Pending is written before the first file moves to its place, and is gone when
// the last one has. In between, all else in the lock is that of the run before.
type Pending struct {
	// Files are those that move, each with the hashes that it may have: what
	// was there, and what will be.
	Files map[string][]string `yaml:"files,omitempty"`
	// Migrations are the new ones, in the order in which they are written.
	Migrations []Migration `yaml:"migrations,omitempty"`
}

// Migration is one that is written once, and what the database has with it.
type Migration struct {
	Path     string `yaml:"path"`
	Database `yaml:",inline"`
}

// Database is what all migrations so far have made.
type Database struct {
	Record Record         `yaml:"record"`
	Tables []tables.Table `yaml:"tables,omitempty"`
}

// NameFor is the lock's name beside a configuration: each has a lock of its own.
func NameFor(config string) string {
	base := filepath.Base(config)
	if ext := filepath.Ext(base); ext != ".lock" {
		base = strings.TrimSuffix(base, ext)
	}
	return base + filepath.Ext(Name)
}

// Database is what the migrations up to this lock have made.
func (l *Lock) Database() Database { return Database{l.Record, l.Tables} }

// Knows reports whether idemgen wrote, or has begun to write, a file at path.
func (l *Lock) Knows(path string) bool {
	if l == nil {
		return false
	}
	_, written := l.Files[path]
	return written || l.Pending != nil && l.Pending.Files[path] != nil
}

// Wrote reports whether idemgen wrote this content to path.
func (l *Lock) Wrote(path string, content []byte) bool {
	if !l.Knows(path) {
		return false
	}
	hash := Hash(content)
	if l.Files[path] == hash {
		return true
	}
	if l.Pending != nil {
		for _, known := range l.Pending.Files[path] {
			if known == hash {
				return true
			}
		}
	}
	return false
}
