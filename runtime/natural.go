package runtime

import (
	"errors"
	"net/http"
)

var errNaturalMissing = errors.New("the key in the body is missing or null")

func naturalKey(pointers []string, r *http.Request, body []byte) (string, error) {
	return "", errNaturalMissing
}
