package scaffold

import (
	"fmt"
	"go/types"
	"reflect"
	"strings"
	"unicode"

	"github.com/idemgen/idemgen/internal/gopkg"
)

// converter writes the expressions that bring values from oapi-codegen's types to
// sqlc's and back. It knows few ways and is sure of each.
type converter struct {
	universe *gopkg.Universe
	imports  map[string]string // of the file at work, names by path
	helpers  map[string]bool   // functions of the service package that are called
}

// The helpers that convert.go.tmpl has.
const (
	helperOptional = "optional" // func optional[From, To any](*From, func(From) To) *To
	helperDecimal  = "decimal"  // func decimal(float32) float64
	helperToJSON   = "toJSON"   // func toJSON(any) ([]byte, error)
	helperFromJSON = "fromJSON" // func fromJSON([]byte, any) error
)

// need notes that a helper is called, and returns its name.
func (c *converter) need(helper string) string {
	c.helpers[helper] = true
	return helper
}

// name writes a type as the service package names it, and notes its imports.
func (c *converter) name(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		c.imports[p.Path()] = p.Name()
		if p.Path() == openapiTypes {
			c.imports[p.Path()] = "openapi_types"
		}
		return c.imports[p.Path()]
	})
}

const openapiTypes = "github.com/oapi-codegen/runtime/types"

// convert writes expr, which is addressable and of type from, as a to.
func (c *converter) convert(expr string, from, to types.Type) (string, bool) {
	fromElem, toElem := elem(from), elem(to)
	switch {
	case c.isTime(from) && c.isTime(to):
		return expr + ".UTC()", true // PostgreSQL keeps no zone
	case fromElem != nil && toElem != nil:
		return c.pointer(expr, from, to)
	case toElem != nil:
		code, ok := c.convert(expr, from, toElem)
		if code == expr {
			return "&" + expr, ok
		}
		return "new(" + code + ")", ok
	case fromElem != nil:
		return "", false // what if it's nil is a decision
	case types.AssignableTo(from, to):
		return expr, true
	}
	return c.value(expr, from, to)
}

func (c *converter) pointer(expr string, from, to types.Type) (string, bool) {
	switch {
	case c.isTime(elem(from)) && c.isTime(elem(to)):
		c.imports["time"] = "time"
		return fmt.Sprintf("%s(%s, time.Time.UTC)", c.need(helperOptional), expr), true
	case types.AssignableTo(from, to):
		return expr, true
	case isBasic(elem(from)) && types.ConvertibleTo(from, to): // of one underlying type
		return fmt.Sprintf("(%s)(%s)", c.name(to), expr), true
	}
	code, ok := c.value("v", elem(from), elem(to))
	if !ok {
		return "", false
	}
	if function, found := strings.CutSuffix(code, "(v)"); found && c.helpers[function] {
		return fmt.Sprintf("%s(%s, %s)", c.need(helperOptional), expr, function), true
	}
	return fmt.Sprintf("%s(%s, func(v %s) %s { return %s })", c.need(helperOptional), expr, c.name(elem(from)), c.name(elem(to)), code), true
}

// value converts between types that are neither pointers nor assignable.
func (c *converter) value(expr string, from, to types.Type) (string, bool) {
	date := c.universe.Named(openapiTypes, "Date")
	switch {
	case types.Identical(from, date) && c.isTime(to):
		return expr + ".Time", true
	case c.isTime(from) && types.Identical(to, date):
		return fmt.Sprintf("%s{Time: %s}", c.name(date), expr), true
	case !isBasic(from) || !isBasic(to):
		return "", false
	}
	f, t := from.Underlying().(*types.Basic), to.Underlying().(*types.Basic)
	switch {
	case f.Kind() == types.Float32 && t.Kind() == types.Float64:
		code := fmt.Sprintf("%s(float32(%s))", c.need(helperDecimal), expr)
		if types.Identical(from, types.Typ[types.Float32]) {
			code = fmt.Sprintf("%s(%s)", c.need(helperDecimal), expr)
		}
		if !types.Identical(to, types.Typ[types.Float64]) {
			code = fmt.Sprintf("%s(%s)", c.name(to), code)
		}
		return code, true
	case f.Kind() == t.Kind(), widens(f, t), f.Info()&t.Info()&types.IsFloat != 0:
		return fmt.Sprintf("%s(%s)", c.name(to), expr), true
	}
	return "", false
}

// widens tells signed integers of which every one fits. An int has 64 bits
// wherever services run.
func widens(from, to *types.Basic) bool {
	bits := map[types.BasicKind]int{types.Int8: 8, types.Int16: 16, types.Int32: 32, types.Int64: 64, types.Int: 64}
	return bits[from.Kind()] > 0 && bits[from.Kind()] <= bits[to.Kind()]
}

func (c *converter) isTime(t types.Type) bool {
	return types.Identical(t, c.universe.Named("time", "Time"))
}

func isBasic(t types.Type) bool {
	_, ok := t.Underlying().(*types.Basic)
	return ok
}

// elem is what a pointer points at, nil for what is none.
func elem(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return nil
}

// isBytes tells what jsonb and bytea are in sqlc's code.
func isBytes(t types.Type) bool {
	return types.Identical(t, types.NewSlice(types.Typ[types.Byte]))
}

// property finds the field of a struct by its name in JSON. encoding/json ignores
// tags with certain characters, so such a name is nowhere.
func property(s *types.Struct, name string) *types.Var {
	if strings.ContainsFunc(name, func(r rune) bool {
		return !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return nil
	}
	for i := range s.NumFields() {
		tag := reflect.StructTag(s.Tag(i)).Get("json")
		if jsonName(tag) == name && s.Field(i).Exported() {
			return s.Field(i)
		}
	}
	return nil
}

func jsonName(tag string) string {
	for i, r := range tag {
		if r == ',' {
			return tag[:i]
		}
	}
	return tag
}

// structOf is the struct that a type is, nil for another type.
func structOf(t types.Type) *types.Struct {
	if t == nil {
		return nil
	}
	s, _ := t.Underlying().(*types.Struct)
	return s
}
