package gopkg_test

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/gopkg"
)

const api = `package api

import (
	"net/http"
	"time"

	openapi_types "github.com/oapi-codegen/runtime/types"
)

type Server interface {
	http.Handler
	Get(w http.ResponseWriter, r *http.Request)
}

type Pet struct {
	ID   openapi_types.UUID
	Name *Name
	Born time.Time
}

type Name string

type GetPet200JSONResponse Pet

func (p Pet) Age() time.Duration { return undefined(p.Born) } // a body, not looked at
`

const db = `package db

import (
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

type Pet struct {
	ID   uuid.UUID
	Name *string
	Born time.Time
}

type Queries struct{ tx pgx.Tx }
`

func TestPackagesOfOneUniverseAreComparable(t *testing.T) {
	u := gopkg.NewUniverse()
	a, err := u.Check("example.com/api", map[string][]byte{"api.go": []byte(api)})
	if err != nil {
		t.Fatal(err)
	}
	b, err := u.Check("example.com/db", map[string][]byte{"db.go": []byte(db)})
	if err != nil {
		t.Fatal(err)
	}
	from, to := a.Type("Pet").Underlying().(*types.Struct), b.Type("Pet").Underlying().(*types.Struct)
	for i, want := range []bool{true, false, true} {
		if got := types.Identical(from.Field(i).Type(), to.Field(i).Type()); got != want {
			t.Errorf("%s is %s and %s: identical %t, want %t", from.Field(i).Name(), from.Field(i).Type(), to.Field(i).Type(), got, want)
		}
	}
	if got := a.Source(a.Type("GetPet200JSONResponse")); got != a.Type("Pet") {
		t.Errorf("the source of the response is %s, want Pet", got)
	}
	if a.Type("Nothing") != nil {
		t.Error("a type that isn't there was found")
	}
}

func TestCheckFindsWhatDoesntFit(t *testing.T) {
	for code, want := range map[string]string{
		"package a\ntype A int\ntype A string":                        "redeclared",
		"package a\ntype A struct{ B }":                               "undefined: B",
		"package a\ntype A struct{ X int; X string }":                 "redeclared",
		"package a\ntype A struct{ A }":                               "recursive",
		"package a\nfunc (a A) M() {}\nfunc (a A) M() {}\ntype A int": "already declared",
		"package a\ntype":                                             "expected",
	} {
		if _, err := gopkg.NewUniverse().Check("a", map[string][]byte{"a.go": []byte(code)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", code, err, want)
		}
	}
}

const service = `package api

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"
)

type answer struct{ *http.Response }

func (a answer) Write() error { return a.Promoted(pgx.NoSuchName) }

type Pet struct {
	A string ` + "`json:\"a-b\"`" + `
	A int ` + "`json:\"a_b\"`" + `
}

func Get(w http.ResponseWriter, id string) {
	var w string
	x := 1
	return fmt.Errorf(Own(id))
}

func (p Pet) String() string { return p.Nothing }
`

// Bodies are checked, with whatever comes from packages that aren't known taken to
// be right.
func TestVerify(t *testing.T) {
	beside := map[string][]byte{"own.go": []byte("package api\nimport \"unused\"\nfunc Own(string) string { return undefined }")}
	_, problems, err := gopkg.Verify("example.com/api", map[string][]byte{"api.go": []byte(service)}, beside)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range problems {
		got = append(got, fmt.Sprintf("%d %s %q: %s", p.Line, p.Declaration, p.Names, p.Message))
	}
	slices.Sort(got)
	want := []string{
		`17 Pet ["a_b" "A" "int"]: A redeclared`,
		`21 Get ["w" "string"]: w redeclared in this block`,
		`22 Get ["x"]: declared and not used: x`,
		`26 String ["p" "Pet" "String" "string" "p" "Nothing"]: p.Nothing undefined (type Pet has no field or method Nothing)`,
		`6  []: "strings" imported and not used`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
