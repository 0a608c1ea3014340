package runtime

import "strings"

// keyTime returns the Unix time in milliseconds that a key carries, if it is a
// UUID of version 7 or looks like a ULID.
func keyTime(key string) (milliseconds uint64, ok bool) {
	switch {
	case isUUID(key) && key[14] == '7':
		return decode(key[:8]+key[9:13], "0123456789abcdef"), true
	case isULID(key):
		return decode(key[:10], crockford), true
	}
	return 0, false
}

// crockford are the digits of Crockford's base 32, in lower case.
const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

// decode reads a number of which every digit is known to be one.
func decode(s, digits string) (n uint64) {
	for _, digit := range strings.ToLower(s) {
		n = n*uint64(len(digits)) + uint64(strings.IndexRune(digits, digit))
	}
	return n
}
