package compare

import (
	"encoding/hex"
	"math/rand/v2"
	"time"
)

// newKey makes a UUID of version 4, or of version 7, which begins with the time.
func newKey(random *rand.Rand, version byte) string {
	var b [16]byte
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	if version == '7' {
		ms := uint64(time.Now().UnixMilli())
		for i := range 6 {
			b[i] = byte(ms >> (40 - 8*i))
		}
	}
	b[6] = b[6]&0x0f | (version-'0')<<4
	b[8] = b[8]&0x3f | 0x80
	s := hex.EncodeToString(b[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}
