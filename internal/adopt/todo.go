package adopt

import (
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/idemgen/idemgen/internal/spec"
)

// generatedAPI is the file that idemgen makes with oapi-codegen.
const generatedAPI = "api.gen.go"

func (a *adoption) describeSpec(doc *spec.Document) {
	a.plan.Found = append([]string{fmt.Sprintf("%s: OpenAPI %s, %s", a.cfg.Spec, doc.Version, counted(len(doc.Operations), "operation"))}, a.plan.Found...)
	for _, c := range a.seen.oapi {
		server := "no server"
		if c.server != "" {
			server = "a server for " + c.server
		}
		a.foundf("%s: oapi-codegen writes %s into %s", c.file, server, orStdout(c.output))
	}
}

func orStdout(output string) string {
	if output == "" {
		return "standard output"
	}
	return output
}

// todo says what only the user can do, in the order in which to do it.
func (a *adoption) todo(doc *spec.Document) {
	for _, c := range a.seen.oapi {
		a.replaceOAPI(c)
	}
	marked := false
	var candidates []string
	for _, op := range doc.Operations {
		marked = marked || op.Idempotent != nil
		if op.Idempotent == nil && !op.Declined && op.Method == http.MethodPost {
			candidates = append(candidates, candidate(op))
		}
	}
	if !marked {
		a.todof(`mark an operation as safe to retry: write "x-idempotent: {}" under it in %s`, a.cfg.Spec)
		for _, c := range candidates {
			a.todof("- %s", c)
		}
	}
	if !marked || len(a.plan.files)+len(a.plan.changes) > 0 {
		generate := "go generate ./..."
		if inWorkspace(a.options.Dir) {
			generate = "GOWORK=off " + generate + ", for -modfile is not for workspaces,"
		}
		a.todof("run %s and go mod tidy, and apply the new migration", generate)
		a.todof("let the method of each marked operation take tx *idem.Tx after ctx, write through it, and serve what %s.NewHandler returns", a.cfg.API.Package)
	}
}

// inWorkspace tells whether the go command uses a go.work file in dir.
func inWorkspace(dir string) bool {
	switch os.Getenv("GOWORK") {
	case "off":
		return false
	case "":
	default:
		return true
	}
	dir, err := filepath.Abs(dir)
	for err == nil {
		if _, statErr := os.Stat(filepath.Join(dir, "go.work")); statErr == nil {
			return true
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return false
}

func candidate(op *spec.Operation) string {
	if op.ID == "" {
		return fmt.Sprintf("POST %s, which needs an operationId", op.Path)
	}
	return fmt.Sprintf("%s (POST %s)", op.ID, op.Path)
}

// replaceOAPI says what becomes of a run of oapi-codegen whose package is the
// one that idemgen generates.
func (a *adoption) replaceOAPI(c oapiConfig) {
	ours := path.Join(a.cfg.API.Dir, generatedAPI)
	if c.server != "" && c.server != "std-http" {
		a.todof("move the marked operations from the server of %s, which is for %s: that in %s is for net/http, with models of its own", c.file, c.server, a.cfg.API.Dir)
		return
	}
	if c.output == "" || c.folder() != a.cfg.API.Dir || !c.models && c.server == "" {
		return
	}
	run, hasRun := a.seen.runOf(c)
	if c.output != ours && !a.exists(c.output) && !hasRun {
		return // done already
	}
	what := "no longer run oapi-codegen with " + c.file
	if hasRun {
		what = fmt.Sprintf("remove the go:generate line of oapi-codegen at %s:%d", run.file, run.line)
	}
	if c.output != ours && a.exists(c.output) {
		what += " and delete " + c.output
	}
	a.todof("%s: %s takes its place, with models and a strict server", what, ours)
	if len(c.also) > 0 {
		a.todof("keep a run of oapi-codegen for %s alone, which %s has too: idemgen doesn't generate it", strings.Join(c.also, ", "), c.file)
	}
	if c.server != "" && !c.strict {
		a.todof("implement the methods of the strict server, whose requests and answers are typed: yours take http.ResponseWriter")
	}
	if len(c.ignored) > 0 {
		a.todof("check what %s says of %s: idemgen runs oapi-codegen without", c.file, strings.Join(c.ignored, ", "))
	}
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
