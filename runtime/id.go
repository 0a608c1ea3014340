package runtime

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
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

// formatUUID writes 16 bytes as a UUID of version 8, which is for bytes of
// one's own making (RFC 9562, section 5.8).
func formatUUID(b ID) string {
	b[6] = b[6]&0x0f | 0x80
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func randomBytes() (b [16]byte) {
	_, _ = rand.Read(b[:]) // never fails
	return b
}
