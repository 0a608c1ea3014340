package life

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

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
