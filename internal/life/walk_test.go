package life

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/lock"
	"github.com/idemgen/idemgen/pgtest"
)

const lockName = lock.Name

// walk is the service at one point of its life.
type walk struct {
	t        *testing.T
	dir, bin string
	url      string
	pool     *pgxpool.Pool
	client   *http.Client
	server   *server
	revision string

	kinds      map[string]*kind
	remembered []*sent
	ran        map[string]int // by table: how many requests have added a row
	number     int
	transfer   string
}

// begin makes the service of the first spec and starts it.
func begin(t *testing.T) *walk {
	t.Helper()
	dir := t.TempDir()
	w := &walk{
		t: t, dir: filepath.Join(dir, "ledger"), bin: dir, url: pgtest.Database(t), revision: "first",
		client: &http.Client{Timeout: 20 * time.Second},
		kinds:  firstKinds(), ran: map[string]int{},
	}
	root, err := filepath.Abs("../..")
	w.check(err)
	document, err := filepath.Abs("testdata/openapi.yaml")
	w.check(err)
	if _, errs, code := command(t, dir, "new", w.dir, "--spec", document, "--module", "example.com/ledger", "--replace", root); code != 0 || errs != "" {
		t.Fatalf("idemgen new: exit code %d\n%s", code, errs)
	}
	w.edit(firstHand)
	w.pool, err = pgxpool.New(t.Context(), w.url)
	w.check(err)
	t.Cleanup(w.pool.Close)
	program := w.build("first")
	w.migrate(latest)
	w.server = w.serve(w.built(program))
	return w
}

func (w *walk) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("%s: %v", w.revision, err)
	}
}

// built waits for a program.
func (w *walk) built(program <-chan string) string {
	w.t.Helper()
	name, ok := <-program
	if !ok {
		w.t.FailNow()
	}
	return name
}

// revise takes the service to its next revision, as a team does: change the spec,
// generate, write what is missing, migrate, deploy.
func (w *walk) revise(r *revision) {
	w.t.Helper()
	if w.t.Failed() {
		w.t.FailNow() // what follows would only repeat it
	}
	w.revision = r.name
	edits, hand := r.edits, r.hand
	if r.undo != "" {
		undone := find(r.undo)
		edits = inverse(undone.edits)
		if hand == nil {
			hand = inverse(undone.hand)
		}
	}
	old := maps.Clone(w.kinds)
	names := w.names(func(*kind) bool { return true })
	w.send(w.server, names)

	w.edit(edits)
	w.generate(r)
	w.byHand(r, hand)
	program := w.build(fileName(r.name))
	if r.migrates != "" || r.leaves != "" {
		w.upDownUp(r)
	}
	w.oldServer(r, names)

	if r.clients != nil {
		w.kinds = cloneKinds(w.kinds)
		r.clients(w.kinds)
	}
	next := w.serve(w.built(program))
	w.retry(next, r)
	w.newServer(next, r, old)
	w.stop(w.server)
	w.server = next
	w.onceEach()
	w.readable(next)
}

func find(name string) *revision {
	i := slices.IndexFunc(revisions, func(r revision) bool { return r.name == name })
	return &revisions[i]
}

func cloneKinds(kinds map[string]*kind) map[string]*kind {
	clone := map[string]*kind{}
	for name, k := range kinds {
		copied := *k
		clone[name] = &copied
	}
	return clone
}

func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, name)
}

// ruleAtEnd is that of a diagnostic.
var ruleAtEnd = regexp.MustCompile(`(?m) \[([a-z-]+/[a-z-]+)\]$`)

// generate runs the command: --strict refuses exactly what is warned of.
func (w *walk) generate(r *revision) {
	w.t.Helper()
	before, was := w.tree(), w.lock()
	var want []string
	for _, warning := range r.warns {
		want = append(want, warning.rule)
	}
	slices.Sort(want)

	out, errs, code := w.idemgen("generate", "--strict")
	if len(want) > 0 {
		if !maps.Equal(before, w.tree()) {
			w.t.Errorf("%s: generate --strict wrote something", r.name)
		}
		if code != 1 {
			w.t.Errorf("%s: generate --strict: exit code %d, want 1\n%s%s", r.name, code, out, errs)
		}
		w.sameRules(r, "generate --strict", errs, want)
		out, errs, code = w.idemgen("generate")
	}
	if code != 0 {
		w.t.Fatalf("%s: generate: exit code %d\n%s%s", r.name, code, out, errs)
	}
	w.t.Logf("%s: generate\n%s%s", r.name, errs, out)
	w.sameRules(r, "generate", errs, slices.Sorted(slices.Values(append(want, r.tells...))))
	for _, words := range r.words {
		if !strings.Contains(out+errs, words) {
			w.t.Errorf("%s: generate doesn't say %q, but\n%s%s", r.name, words, out, errs)
		}
	}
	w.migration(r, w.onlyGenerated(before, w.tree(), was, w.lock()))
	w.upToDate()
}

func (w *walk) sameRules(r *revision, command, said string, want []string) {
	w.t.Helper()
	var got []string
	for _, m := range ruleAtEnd.FindAllStringSubmatch(said, -1) {
		got = append(got, m[1])
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		w.t.Errorf("%s: %s warns of %q, want %q\n%s", r.name, command, got, want, said)
	}
}

func (w *walk) upToDate() {
	w.t.Helper()
	if out, errs, code := w.idemgen("generate", "--check"); code != 0 {
		w.t.Errorf("%s: generate --check: exit code %d\n%s%s", w.revision, code, out, errs)
	}
}

// migration looks at the new one: its statements, and what is in its comments.
func (w *walk) migration(r *revision, files []string) {
	w.t.Helper()
	var runs, comments strings.Builder
	for _, name := range files {
		content, err := os.ReadFile(filepath.Join(w.dir, name))
		w.check(err)
		for line := range strings.Lines(string(content)) {
			if strings.HasPrefix(line, "--") {
				comments.WriteString(line)
			} else {
				runs.WriteString(line)
			}
		}
	}
	if (r.migrates == "" && r.leaves == "") != (len(files) == 0) || !strings.Contains(runs.String(), r.migrates) || !strings.Contains(comments.String(), r.leaves) {
		w.t.Errorf("%s: the migrations %q run\n%s\nand leave\n%s", r.name, files, &runs, &comments)
	}
}

// byHand is the user's part.
func (w *walk) byHand(r *revision, hand []edit) {
	w.t.Helper()
	if r.stubs {
		if out, errs, code := w.idemgen("stubs"); code != 0 {
			w.t.Errorf("%s: stubs: exit code %d\n%s%s", r.name, code, out, errs)
		}
	}
	if len(hand) == 0 {
		return
	}
	w.edit(hand)
	if out, errs, code := w.idemgen("generate", "--strict"); code != 0 { // for the queries
		w.t.Errorf("%s: generate after the edits by hand: exit code %d\n%s%s", r.name, code, out, errs)
	}
}

// upDownUp runs the new migrations on a database with rows, while the old server
// works on it.
func (w *walk) upDownUp(r *revision) {
	w.t.Helper()
	version, before := w.version(), w.rows()
	there, back := r.renames, map[string]string{}
	for from, to := range there {
		back[to] = from
	}
	w.migrate(latest)
	up := w.rows()
	w.sameRows(r.name+": up", before, up, there)
	w.migrate(version)
	down := w.rows()
	w.sameRows(r.name+": down", up, down, back)
	w.sameRows(r.name+": up and down", before, down, nil)
	w.migrate(latest)
	w.sameRows(r.name+": up again", down, w.rows(), there)
}

// oldServer works on the new schema until it is replaced.
func (w *walk) oldServer(r *revision, names []string) {
	w.t.Helper()
	if r.breaksOld {
		w.oldServerFails()
		return
	}
	for _, sent := range w.remembered {
		if sent.stored && !w.kinds[sent.kind].plain {
			replays(w, w.server, sent)
		}
	}
	w.send(w.server, names)
}

// oldServerFails holds that it doesn't do anything then, in particular not twice.
func (w *walk) oldServerFails() {
	w.t.Helper()
	for _, sent := range w.remembered {
		if !sent.stored {
			continue
		}
		if got := w.do(w.server, sent); got.status < http.StatusInternalServerError {
			w.t.Errorf("%s: the server from before answers %+v", w.revision, got)
		}
	}
}

// retry sends all requests from before the deploy to the new server.
func (w *walk) retry(next *server, r *revision) {
	w.t.Helper()
	for _, sent := range slices.Clone(w.remembered) {
		w.fate(r, sent)(w, next, sent)
	}
}

func (w *walk) fate(r *revision, s *sent) fate {
	if i := slices.IndexFunc(r.warns, func(warning warning) bool { return warning.of == s.kind || warning.of == "" }); i >= 0 {
		return r.warns[i].retry
	}
	if s.stored && !w.kinds[s.kind].plain {
		return replays
	}
	return runsAgain
}

// newServer gets new requests, whose retries the old one answers where nothing was
// warned of.
func (w *walk) newServer(next *server, r *revision, old map[string]*kind) {
	w.t.Helper()
	for _, sent := range w.send(next, w.names(func(*kind) bool { return true })) {
		if !sent.stored {
			continue
		}
		replays(w, next, sent)
		was := old[sent.kind]
		warned := slices.ContainsFunc(r.warns, func(warning warning) bool { return warning.of == sent.kind || warning.of == "" })
		if was != nil && !was.plain && !warned && !r.breaksOld {
			replays(w, w.server, sent)
		}
	}
}
