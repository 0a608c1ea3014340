package spec

import "github.com/idemgen/idemgen/internal/diag/doctree"

// kinds are JSON types, as bits.
type kinds int

const (
	isNull kinds = 1 << iota
	isBoolean
	isInteger
	isFraction // a number that isn't an integer
	isString
	isArray
	isObject
	isAnything = 1<<iota - 1

	isNumber = isInteger | isFraction
	isScalar = isBoolean | isNumber | isString
)

var kindNames = map[string]kinds{
	"null": isNull, "boolean": isBoolean, "integer": isInteger, "number": isNumber,
	"string": isString, "array": isArray, "object": isObject,
}

var valueKinds = map[doctree.Kind]kinds{
	doctree.Null: isNull, doctree.Bool: isBoolean, doctree.Int: isInteger, doctree.Float: isNumber,
	doctree.String: isString, doctree.Seq: isArray, doctree.Map: isObject,
}

// kinds returns the types that values can have. Properties without a type stand
// for an object, as oapi-codegen has it. A "nullable" counts wherever it stands:
// tools don't agree when it does.
func (a alternative) kinds() kinds {
	k, properties := kinds(isAnything), false
	for _, s := range a {
		if t := s.Get("type"); t != nil {
			k &= typeKinds(t)
		}
		properties = properties || s.Get("properties") != nil
	}
	if k == isAnything && properties {
		k = isObject
	}
	if a.is("nullable") {
		k |= isNull
	}
	for _, s := range a {
		values := listOf(s, "enum")
		if c := s.Get("const"); c != nil {
			values = []*doctree.Node{c}
		}
		var some kinds
		for _, v := range values {
			some |= valueKinds[v.Kind]
		}
		if len(values) > 0 {
			k &= some
		}
	}
	return k
}

func typeKinds(t *doctree.Node) kinds {
	k := kindNames[t.Value]
	for _, item := range t.Items {
		k |= kindNames[item.Value]
	}
	return k
}

// is tells whether any of the schemas has a keyword that is true.
func (a alternative) is(keyword string) bool {
	for _, s := range a {
		if v := s.Get(keyword); v != nil && v.True() {
			return true
		}
	}
	return false
}
