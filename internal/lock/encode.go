package lock

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"reflect"

	"go.yaml.in/yaml/v3"
)

const header = `# Written by idemgen generate. Commit it; after a merge conflict keep either side
# and run idemgen generate.
`

const pendingHeader = `# A run of idemgen generate did not come to its end: run it again.
`

// Encode writes the lock: the same bytes for the same facts, each on a line of
// its own, in sorted order.
func (l *Lock) Encode() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(header)
	if l.Pending != nil {
		b.WriteString(pendingHeader)
	}
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(node(reflect.ValueOf(l))); err != nil {
		return nil, err
	}
	if err := enc.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// hashSize is that of hashes, in bytes. They find edits, which nobody makes to
// collide: half of SHA-256 is plenty, and keeps lines short.
const hashSize = 16

// Hash is the hash of a file's text. Git may check out other line ends than were
// committed, so they don't count.
func Hash(content []byte) string {
	sum := sha256.Sum256(Text(content))
	return hex.EncodeToString(sum[:hashSize])
}

// Text is content with the line ends that idemgen writes.
func Text(content []byte) []byte {
	return bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
}

// Manifest are the hashes of files.
func Manifest(files map[string][]byte) map[string]string {
	hashes := make(map[string]string, len(files))
	for path, content := range files {
		hashes[path] = Hash(content)
	}
	return hashes
}
