// Package auth tells tenants by their API keys.
package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"strings"
)

// Keys are the API keys that the service takes. It holds their hashes only, so
// that no log or dump of the process shows one by accident.
type Keys struct{ entries []entry }

type entry struct {
	tenant string
	hash   [sha256.Size]byte
}

// ParseKeys reads a list such as "acme:secret1,globex:secret2". A tenant may
// have several keys, as it needs while it changes them. Errors never show a key.
func ParseKeys(list string) (*Keys, error) {
	keys := &Keys{}
	for i, pair := range strings.Split(list, ",") {
		tenant, key, found := strings.Cut(strings.TrimSpace(pair), ":")
		if !found || tenant == "" || key == "" {
			return nil, fmt.Errorf("API key %d of the list isn't tenant:key", i+1)
		}
		if _, taken := keys.tenant(key); taken {
			return nil, fmt.Errorf("API key %d of the list, of tenant %s, is there twice", i+1, tenant)
		}
		keys.entries = append(keys.entries, entry{tenant, sha256.Sum256([]byte(key))})
	}
	return keys, nil
}

// tenant finds the tenant of a key. How long it takes says nothing about keys:
// hashes are compared, all of them, and each in constant time.
func (k *Keys) tenant(key string) (tenant string, found bool) {
	hash := sha256.Sum256([]byte(key))
	for _, e := range k.entries {
		if subtle.ConstantTimeCompare(e.hash[:], hash[:]) == 1 {
			tenant, found = e.tenant, true
		}
	}
	return tenant, found
}
