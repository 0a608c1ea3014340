package generate

import (
	"sync"

	"github.com/idemgen/idemgen/internal/diag"
)

// once makes a part that two others ask for, one time.
func once(part func() (map[string][]byte, *diag.Set, error)) func() (map[string][]byte, *diag.Set, error) {
	type result struct {
		files map[string][]byte
		diags *diag.Set
		err   error
	}
	get := sync.OnceValue(func() (r result) {
		r.files, r.diags, r.err = part()
		return r
	})
	return func() (map[string][]byte, *diag.Set, error) {
		r := get()
		return r.files, r.diags, r.err
	}
}
