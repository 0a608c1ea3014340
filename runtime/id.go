package runtime

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// ID names a record: a hash over scope, operation and key, so that nobody can
// name another scope's record. If the key carries the time at which it was made,
// as UUIDs of version 7 (RFC 9562, section 5.7) and ULIDs do, that time comes
// first: records that are made together then lie together in the index.
type ID [16]byte

// Lock is the number of the advisory lock that stands for the claim of id.
func (id ID) Lock() int64 {
	return int64(binary.BigEndian.Uint64(id[8:]))
}

func newID(scope, operation, key string) ID {
	b := make([]byte, 0, len(scope)+len(operation)+len(key)+16)
	b = appendString(b, "idemgen/1")
	b = appendString(b, scope)
	b = appendString(b, operation)
	b = appendString(b, key)
	sum := sha256.Sum256(b)
	id := ID(sum[:16])
	if milliseconds, ok := keyTime(key); ok {
		// In seconds, which are near enough to each other, 96 bits are left to
		// the hash.
		binary.BigEndian.PutUint32(id[:4], uint32(milliseconds/1000))
	}
	return id
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
