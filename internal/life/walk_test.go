package life

import (
	"net/http"
	"path/filepath"
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
	old := w.kinds
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
	if warning := r.warned(s.kind); warning != nil {
		return warning.retry
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
		if was != nil && !was.plain && r.warned(sent.kind) == nil && !r.breaksOld {
			replays(w, w.server, sent)
		}
	}
}
