package cli

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/generate"
	"github.com/idemgen/idemgen/internal/stubs"
)

// handWork is what the user has to write after generate.
type handWork struct {
	work *stubs.Work // nil when the type isn't known
	// hint says what is new, and why it isn't known whose it is.
	hint string
}

// handWorkOf looks for the methods that the service has to write now. A service
// that has no such type yet isn't told so at its first run.
func handWorkOf(made *generate.Generated) handWork {
	source := made.Files[path.Join(made.Config.API.Dir, stubs.File)]
	work, err := lacking(made.Config, source, stubs.Options{})
	var notFound *stubs.NotFoundError
	if err == nil || !errors.As(err, &notFound) || made.Old == nil {
		return handWork{work: work} // Go files that don't parse are the compiler's business
	}
	gained := slices.DeleteFunc(slices.Clone(made.New.Methods), func(name string) bool { return slices.Contains(made.Old.Methods, name) })
	if len(gained) == 0 {
		return handWork{}
	}
	return handWork{hint: fmt.Sprintf("Handlers has new methods: %s (idemgen stubs: %s)", strings.Join(gained, ", "), notFound)}
}

// print writes it for a terminal: methods ready to be pasted.
func (h handWork) print(t *talk) error {
	switch {
	case h.hint != "":
		return t.sayf("%s", diag.Escape(h.hint))
	case h.work == nil || len(h.work.Missing) == 0:
		return nil
	}
	return t.sayf("%s (%s:%d) lacks %s of Handlers; idemgen stubs writes this into a new file:\n\n%s",
		h.work.Type.Name, diag.Escape(relative(h.work.Type.Pos.Filename)), h.work.Type.Pos.Line, counted(len(h.work.Missing), "method"), strings.TrimSuffix(h.work.Methods(), "\n"))
}

// lackingMethods are those of the JSON document.
type lackingMethods struct {
	// Type is the type that lacks them, File where it is declared.
	Type    string   `json:"type"`
	File    string   `json:"file"`
	Methods []string `json:"methods"`
	// Code is Go to be pasted.
	Code string `json:"code"`
}

func (h handWork) lacking() *lackingMethods {
	if h.work == nil || len(h.work.Missing) == 0 {
		return nil
	}
	m := &lackingMethods{Type: h.work.Type.Name, File: relative(h.work.Type.Pos.Filename), Code: h.work.Methods()}
	for _, method := range h.work.Missing {
		m.Methods = append(m.Methods, method.Name)
	}
	return m
}
