package life

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const apiKey = "s3cret"

// kind is one sort of request, as clients send it now.
type kind struct {
	method, path string // {transfer} stands for the id of one that was made
	body         string // %d stands for a number
	keyHeader    string
	keyPrefix    string
	header       http.Header
	// table is where each run adds a row.
	table string
	// plain is for an operation that isn't idempotent.
	plain bool
}

// sent is a request that its client remembers, and the answer that it got.
type sent struct {
	kind, method, path, body string
	header                   http.Header
	answer                   answer
	// stored is whether the answer is kept under the key.
	stored bool
	// since is the revision before whose deploy it was sent.
	since string
}

type answer struct {
	status   int
	media    string
	replayed bool
	body     string
}

// fate is what becomes of a retry. It ends the test if it is another.
type fate func(w *walk, s *server, r *sent)

// send sends a request of each kind that idempotent operations take, with a key
// of its own, and remembers it.
func (w *walk) send(s *server, names []string) []*sent {
	w.t.Helper()
	var list []*sent
	for _, name := range names {
		k := w.kinds[name]
		w.number++
		r := &sent{
			kind: name, method: k.method,
			path:   strings.ReplaceAll(k.path, "{transfer}", w.transfer),
			header: http.Header{"Content-Type": {"application/json"}, "X-Api-Key": {apiKey}, k.keyHeader: {k.keyPrefix + uuid.NewString()}},
			stored: !k.plain, since: w.revision,
		}
		if k.body != "" {
			r.body = fmt.Sprintf(k.body, w.number)
		}
		maps.Copy(r.header, k.header)
		r.answer = w.do(s, r)
		if r.answer.status != http.StatusCreated || r.answer.replayed {
			w.t.Errorf("%s: a new %s: %+v", w.revision, name, r.answer)
			continue
		}
		w.ran[k.table]++
		if name == "transfer" {
			w.transfer = r.answer.id(w)
		}
		list = append(list, r)
	}
	w.remembered = append(w.remembered, list...)
	return list
}

func (w *walk) do(s *server, r *sent) answer {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), r.method, s.url+r.path, strings.NewReader(r.body))
	w.check(err)
	request.Header = r.header
	response, err := w.client.Do(request)
	w.check(err)
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	w.check(err)
	return answer{response.StatusCode, response.Header.Get("Content-Type"), response.Header.Get("Idempotency-Replayed") == "true", string(content)}
}

func (a answer) id(w *walk) string {
	w.t.Helper()
	var body struct{ ID string }
	w.check(json.NewDecoder(bytes.NewBufferString(a.body)).Decode(&body))
	return body.ID
}

// replays: the answer that was stored, byte for byte.
func replays(w *walk, s *server, r *sent) {
	w.t.Helper()
	want := r.answer
	want.replayed = true
	if got := w.do(s, r); got != want {
		w.t.Errorf("%s: a retry of a %s from before %q: %+v, want %+v", w.revision, r.kind, r.since, got, want)
	}
}

// runsAgain: as if it were new. If the operation is idempotent, the new answer is
// the stored one from then on.
func runsAgain(w *walk, s *server, r *sent) {
	w.t.Helper()
	k := w.kinds[r.kind]
	got := w.do(s, r)
	if got.status != http.StatusCreated || got.replayed {
		w.t.Errorf("%s: a retry of a %s from before %q doesn't run again: %+v", w.revision, r.kind, r.since, got)
		return
	}
	w.ran[k.table]++
	if !k.plain {
		r.answer, r.stored = got, true
		replays(w, s, r)
	}
}

// refused: its client doesn't get the answer, ever.
func refused(status int) fate {
	return func(w *walk, s *server, r *sent) {
		w.t.Helper()
		if got := w.do(s, r); got.status != status || got.replayed {
			w.t.Errorf("%s: a retry of a %s from before %q: %+v, want status %d", w.revision, r.kind, r.since, got, status)
		}
		w.forget(r)
	}
}

// all holds for several fates.
func all(fates ...fate) fate {
	return func(w *walk, s *server, r *sent) {
		w.t.Helper()
		for _, f := range fates {
			f(w, s, r)
		}
	}
}

// lacks: the stored answer isn't what the document promises now.
func lacks(member string) fate {
	return func(w *walk, _ *server, r *sent) {
		w.t.Helper()
		var body map[string]any
		w.check(json.Unmarshal([]byte(r.answer.body), &body))
		if _, ok := body[member]; ok {
			w.t.Errorf("%s: warned in vain: the stored %s has %s", w.revision, r.kind, member)
		}
	}
}

// answersAnother: another request with the key gets the answer, too.
func answersAnother(body string) fate {
	return func(w *walk, s *server, r *sent) {
		w.t.Helper()
		other := *r
		other.body = body
		replays(w, s, &other)
	}
}

// forget ends the retries of a request.
func (w *walk) forget(r *sent) {
	w.remembered = slices.DeleteFunc(slices.Clone(w.remembered), func(o *sent) bool { return o == r })
}

// names lists the kinds that a condition holds for.
func (w *walk) names(condition func(*kind) bool) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(w.kinds)) {
		if condition(w.kinds[name]) {
			list = append(list, name)
		}
	}
	return list
}

// onceEach holds that each run added its row, and no retry another.
func (w *walk) onceEach() {
	w.t.Helper()
	for table, ran := range w.ran {
		n := query(w, pgx.RowTo[int], `SELECT count(*) FROM `+pgx.Identifier{table}.Sanitize())[0]
		if n != ran {
			w.t.Errorf("%s: %s has %d rows, and %d requests ran", w.revision, table, n, ran)
		}
	}
}

// readable holds that a server reads all transfers, whoever wrote them.
func (w *walk) readable(s *server) {
	w.t.Helper()
	for _, id := range query(w, pgx.RowTo[string], `SELECT id::text FROM transfers`) {
		r := &sent{method: http.MethodGet, path: "/transfers/" + id, header: http.Header{"X-Api-Key": {apiKey}}}
		if got := w.do(s, r); got.status != http.StatusOK || got.id(w) != id {
			w.t.Errorf("%s: the transfer %s: %+v", w.revision, id, got)
		}
	}
	r := &sent{method: http.MethodGet, path: "/accounts", header: http.Header{"X-Api-Key": {apiKey}}}
	if got := w.do(s, r); got.status != http.StatusOK {
		w.t.Errorf("%s: the accounts: %+v", w.revision, got)
	}
}
