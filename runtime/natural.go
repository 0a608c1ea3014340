package runtime

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
)

var (
	errNaturalMissing = errors.New("missing")
	errNaturalNull    = fmt.Errorf("null, which counts as %w", errNaturalMissing)
	errNaturalEmpty   = errors.New("an empty string")
	errNaturalObject  = errors.New("an object: it must be a string, a number or a boolean")
	errNaturalArray   = errors.New("an array: it must be a string, a number or a boolean")
	errNaturalEncoded = errors.New("the body has a Content-Encoding, so that the key in it can't be read")
)

// naturalKey takes the key from the values at the pointers in the JSON body.
// It doesn't ask for the Content-Type, since oapi-codegen's handlers don't.
//
// Of one pointer the key is the value's own text: a string's characters, a
// number's digits as they were written, true or false. 1 and "1" are the same
// key then. Of several it is a list that tells all values and types apart, in
// printable ASCII. What the key looks like isn't seen outside, but records are
// found by it: it must stay as it is.
func naturalKey(pointers []string, r *http.Request, body []byte) (string, error) {
	switch {
	case len(pointers) == 0:
		return "", errNaturalMissing
	case encoded(r):
		return "", errNaturalEncoded
	case len(body) == 0:
		return "", naturalError(pointers[0], errNaturalMissing)
	}
	if err := checkJSON(body); err != nil {
		return "", err
	}
	c := canonicalizer{text: body, members: make([]member, 0, 16), found: make([][]byte, len(pointers))}
	if err := c.value(appendCursors(nil, look, pointers), false); err != nil {
		return "", err
	}
	var list []byte
	for i, pointer := range pointers {
		raw := c.found[i]
		text, err := scalarText(raw)
		if err == nil && len(pointers) == 1 && len(text) == 0 {
			err = errNaturalEmpty
		}
		switch {
		case err != nil:
			return "", naturalError(pointer, err)
		case len(pointers) == 1:
			return string(text), nil
		case raw[0] == '"':
			list = strconv.AppendQuoteToASCII(append(list, ','), string(text))
		default:
			list = append(append(list, ','), text...)
		}
	}
	list[0] = '['
	return string(append(list, ']')), nil
}

func naturalError(pointer string, err error) error {
	return fmt.Errorf("the value at %s of the body is %w", pointer, err)
}

// scalarText is the text of a value, given as JSON.
func scalarText(raw []byte) ([]byte, error) {
	if raw == nil {
		return nil, errNaturalMissing
	}
	switch raw[0] {
	case 'n':
		return nil, errNaturalNull
	case '{':
		return nil, errNaturalObject
	case '[':
		return nil, errNaturalArray
	case '"':
		return unescape(raw[1 : len(raw)-1]), nil
	}
	return raw, nil
}
