package cli

import (
	"github.com/idemgen/idemgen/internal/changes"
	"github.com/idemgen/idemgen/internal/diag"
	"github.com/idemgen/idemgen/internal/output"
)

// generateResult is the JSON document of generate. Paths are as in text. Its
// names are part of the interface to users.
type generateResult struct {
	Diagnostics []diag.Record `json:"diagnostics"`
	Written     []string      `json:"written"`
	Deleted     []string      `json:"deleted"`
	Kept        []keptFile    `json:"kept"`
	Unchanged   []string      `json:"unchanged"`
	Changes     []change      `json:"changes"`
	// Lacking is null when the service has all methods of Handlers.
	Lacking *lackingMethods `json:"lacking"`
}

// change is what is different in the contract since the run before.
type change struct {
	Subject string `json:"subject"`
	Text    string `json:"text"`
}

// keptFile is no longer generated, and still there.
type keptFile struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// checkResult is the JSON document of generate --check.
type checkResult struct {
	Diagnostics []diag.Record `json:"diagnostics"`
	Missing     []string      `json:"missing"`
	Changed     []string      `json:"changed"`
	Edited      []string      `json:"edited"`
	Stale       []string      `json:"stale"`
	Unchanged   []string      `json:"unchanged"`
}

func newGenerateResult(found *diag.Set, plan *output.Plan, display func(string) string, result output.Result, changed []changes.Change, hand handWork) generateResult {
	r := generateResult{
		diag.Records(found), displayed(result.Written, display), displayed(result.Deleted, display),
		[]keptFile{}, inState(plan, display, output.Unchanged), []change{}, hand.lacking(),
	}
	for _, c := range changed {
		r.Changes = append(r.Changes, change{c.Subject, c.Text})
	}
	for _, f := range result.Kept {
		r.Kept = append(r.Kept, keptFile{display(f.Path), f.Reason})
	}
	return r
}

func newCheckResult(found *diag.Set, plan *output.Plan, display func(string) string) checkResult {
	in := func(states ...output.State) []string { return inState(plan, display, states...) }
	return checkResult{
		diag.Records(found), in(output.Missing), in(output.Changed), in(output.Edited),
		in(output.Stale, output.Kept), in(output.Unchanged), // generate tells which of the stale ones it keeps
	}
}

// inState lists the files of a plan that are in one of the states.
func inState(plan *output.Plan, display func(string) string, states ...output.State) []string {
	paths := []string{}
	for _, f := range plan.Files {
		for _, s := range states {
			if f.State == s {
				paths = append(paths, display(f.Path))
			}
		}
	}
	return paths
}

func displayed(paths []string, display func(string) string) []string {
	list := []string{}
	for _, p := range paths {
		list = append(list, display(p))
	}
	return list
}
