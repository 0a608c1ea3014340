package runtime

import (
	"crypto/sha256"
	"encoding/binary"
)

// ID names a record: the first 16 bytes of SHA-256 over scope, operation and
// key, so that nobody can name another scope's record.
type ID [16]byte

// Lock is the number of the advisory lock that stands for the claim of id.
func (id ID) Lock() int64 {
	return int64(binary.BigEndian.Uint64(id[:8]))
}

func newID(scope, operation, key string) ID {
	b := make([]byte, 0, len(scope)+len(operation)+len(key)+16)
	b = appendString(b, "idemgen/1")
	b = appendString(b, scope)
	b = appendString(b, operation)
	b = appendString(b, key)
	sum := sha256.Sum256(b)
	return ID(sum[:16])
}
