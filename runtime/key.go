package runtime

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"
)

const maxKeyLength = 255

var (
	errKeyMissing   = errors.New("missing")
	errKeyRepeated  = errors.New("the header is there more than once")
	errKeyEmpty     = errors.New("it is empty")
	errKeyLong      = errors.New("it has more than 255 characters")
	errKeyCharacter = errors.New("it has a character that isn't printable ASCII")
	errKeyString    = errors.New("it begins like an RFC 9651 String but isn't one")
	errKeyUUID      = errors.New("it isn't a UUID")
	errKeyULID      = errors.New("it isn't a ULID")
)

// read takes the key from a request's header: an RFC 9651 String, or the
// raw value. Both spellings are the same key.
func (k *Key) read(h http.Header) (string, error) {
	values := h.Values(k.header())
	switch len(values) {
	case 0:
		return "", errKeyMissing
	case 1:
	default:
		return "", errKeyRepeated
	}
	key, err := parseKey(values[0])
	if err != nil {
		return "", err
	}
	return key, k.check(key)
}

// check applies what the operation asks of its keys.
func (k *Key) check(key string) error {
	switch {
	case k.Format == KeyUUID && !isUUID(key):
		return errKeyUUID
	case k.Format == KeyULID && !isULID(key):
		return errKeyULID
	case utf8.RuneCountInString(key) < k.MinLength:
		return fmt.Errorf("it has less than %d characters", k.MinLength)
	case k.MaxLength > 0 && utf8.RuneCountInString(key) > k.MaxLength:
		return fmt.Errorf("it has more than %d characters", k.MaxLength)
	case k.Pattern != nil && !k.Pattern.MatchString(key):
		return fmt.Errorf("it doesn't match %s", k.Pattern)
	}
	return nil
}

func parseKey(value string) (string, error) {
	value = strings.Trim(value, " \t")
	if strings.HasPrefix(value, `"`) {
		var ok bool
		if value, ok = parseString(value); !ok {
			return "", errKeyString
		}
	}
	switch {
	case value == "":
		return "", errKeyEmpty
	case len(value) > maxKeyLength:
		return "", errKeyLong
	}
	for i := range len(value) {
		if value[i] < 0x20 || value[i] > 0x7e {
			return "", errKeyCharacter
		}
	}
	return value, nil
}

// parseString reads an RFC 9651 String (section 4.2.5) that is the whole value:
// between the quotes, a backslash goes only before a quote or a backslash.
// Parameters of the Item aren't known to the draft and are refused.
func parseString(value string) (string, bool) {
	if !strings.Contains(value, `\`) { // as nearly all are
		s := value[1:]
		end := strings.IndexByte(s, '"')
		return s[:max(end, 0)], end >= 0 && end == len(s)-1
	}
	var s strings.Builder
	for i := 1; i < len(value); i++ {
		switch c := value[i]; c {
		case '"':
			return s.String(), i == len(value)-1
		case '\\':
			i++
			if i == len(value) || value[i] != '"' && value[i] != '\\' {
				return "", false
			}
			s.WriteByte(value[i])
		default:
			s.WriteByte(c)
		}
	}
	return "", false
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !strings.ContainsRune("0123456789abcdefABCDEF", rune(s[i])) {
				return false
			}
		}
	}
	return true
}

// isULID checks 26 characters of Crockford's base 32; the first is at most 7,
// since 26 characters of 5 bits are two more than the 128 that there are.
func isULID(s string) bool {
	if len(s) != 26 || s[0] > '7' {
		return false
	}
	for i := range len(s) {
		if !strings.ContainsRune("0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghjkmnpqrstvwxyz", rune(s[i])) {
			return false
		}
	}
	return true
}
