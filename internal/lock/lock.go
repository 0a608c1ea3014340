// Package lock reads and writes idemgen.lock: what was generated last, as the
// next run, a check and a review need it.
package lock

import (
	"github.com/idemgen/idemgen/internal/contract"
	"github.com/idemgen/idemgen/internal/tables"
)

// Name is that of the file, beside the configuration.
const Name = "idemgen.lock"

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
	// Files are the generated files, each with the hash of its content.
	Files map[string]string `yaml:"files,omitempty"`
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
