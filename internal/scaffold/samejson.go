package scaffold

import (
	"go/types"
	"reflect"
)

// fitsJSON tells whether the JSON of every value of from can be read into a to:
// what a request brings goes through jsonb into the answer.
func fitsJSON(from, to types.Type) bool {
	c := jsonComparison{map[[2]types.Type]bool{}}
	return c.fits(from, to)
}

type jsonComparison struct{ open map[[2]types.Type]bool }

func (c jsonComparison) fits(from, to types.Type) bool {
	from, to = deref(from), deref(to)
	pair := [2]types.Type{from, to}
	if c.open[pair] || types.Identical(from, to) {
		return true
	}
	c.open[pair] = true
	if named, ok := from.(*types.Named); ok && named.Obj().Pkg() != nil && structOf(from) != nil && structOf(from).NumFields() == 0 {
		if other, ok := to.(*types.Named); ok && named.Obj().Pkg() != other.Obj().Pkg() {
			return false // a time, say, which has JSON of its own
		}
	}
	switch t := to.Underlying().(type) {
	case *types.Interface:
		return t.NumMethods() == 0
	case *types.Basic:
		f, ok := from.Underlying().(*types.Basic)
		const classes = types.IsBoolean | types.IsInteger | types.IsFloat | types.IsString
		return ok && (f.Info()&classes == t.Info()&classes || f.Info()&types.IsInteger != 0 && t.Info()&types.IsFloat != 0)
	case *types.Slice:
		f, ok := from.Underlying().(*types.Slice)
		return ok && c.fits(f.Elem(), t.Elem())
	case *types.Map:
		f, ok := from.Underlying().(*types.Map)
		return ok && c.fits(f.Elem(), t.Elem())
	case *types.Struct:
		if isUnion(t) {
			return true
		}
		f, ok := from.Underlying().(*types.Struct)
		return ok && c.structs(f, t)
	}
	return false
}

// structs compares the fields of one name. A field that the other lacks doesn't
// hinder reading; one that isn't exported holds what is of several types.
func (c jsonComparison) structs(from, to *types.Struct) bool {
	for i := range from.NumFields() {
		f := from.Field(i)
		if !f.Exported() {
			return false
		}
		name := jsonName(reflect.StructTag(from.Tag(i)).Get("json"))
		if t := property(to, name); t != nil && !c.fits(f.Type(), t.Type()) {
			return false
		}
	}
	for f := range to.Fields() {
		if !f.Exported() {
			return false
		}
	}
	return true
}

// isUnion tells what oapi-codegen makes of oneOf and anyOf: it takes any JSON.
func isUnion(s *types.Struct) bool { return s.NumFields() == 1 && s.Field(0).Name() == "union" }

// deref is what a type is behind its pointers and aliases.
func deref(t types.Type) types.Type {
	for elem(t) != nil {
		t = elem(t)
	}
	return types.Unalias(t)
}
