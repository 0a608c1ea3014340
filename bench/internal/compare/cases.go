package compare

import (
	"time"

	"github.com/idemgen/idemgen/bench/internal/candidates"
)

const (
	orders  = "/orders"
	reviews = "/reviews"
)

// Case is one kind of traffic to one candidate.
type Case struct {
	Name, Title string
	candidate   *candidates.Candidate
	path        string
	keys        keys
	// base is the name of the case that it is compared with.
	base string
	// main says that it is measured in each setting.
	main bool
}

// The names of the cases that goals are about.
const (
	caseBare       = "bare"
	caseFresh      = "idemgen"
	caseReplay     = "idemgen-replay"
	caseMixed      = "idemgen-5%"
	caseReviewBare = "review-bare"
	caseReviewAuto = "review-autocommit"
	caseReview     = "review-idemgen"
)

// cases are what is measured, in the order of reports.
func cases(redis bool) []*Case {
	all := []*Case{
		{Name: caseBare, Title: "bare transaction, no idempotency", candidate: candidates.Find("bare"), base: caseBare, main: true},
		{Name: caseFresh, Title: "idemgen, new keys", candidate: candidates.Find("idemgen"), base: caseBare, main: true},
		{Name: caseMixed, Title: "idemgen, 5 % duplicates", candidate: candidates.Find("idemgen"), keys: mixed, base: caseBare},
		{Name: caseReplay, Title: "idemgen, replays", candidate: candidates.Find("idemgen"), keys: replay, base: caseBare, main: true},
	}
	for _, name := range []string{"recipe-a", "recipe-b", "recipe-c", "fiber", "fiber-memory", "fiber-redis"} {
		c := candidates.Find(name)
		all = append(all, &Case{Name: name, Title: c.Title, candidate: c, base: caseBare, main: !c.OrdersOnly})
	}
	for _, c := range all {
		c.path = orders
	}
	all = append(all,
		&Case{Name: caseReviewBare, Title: "one INSERT: Begin, INSERT, Commit", candidate: candidates.Find("bare"), path: reviews, base: caseReviewBare},
		&Case{Name: caseReviewAuto, Title: "one INSERT: the statement alone", candidate: candidates.Find("autocommit"), path: reviews, base: caseReviewBare},
		&Case{Name: caseReview, Title: "one INSERT: idemgen, one statement", candidate: candidates.Find("idemgen"), path: reviews, base: caseReviewBare},
	)
	var there []*Case
	for _, c := range all {
		if redis || !c.candidate.Redis {
			there = append(there, c)
		}
	}
	return there
}

// Setting is the surroundings in which cases are measured.
type Setting struct {
	Name    string
	Workers int
	// Latency is what the network adds to a round trip to the database.
	Latency time.Duration
	// mainOnly leaves out what is measured in other settings.
	mainOnly bool
}

// The settings that goals are about.
const (
	SettingLocal = "one machine, 32 workers"
	SettingFar   = "1 ms to the database, 8 workers"
)

var settings = []Setting{
	{Name: SettingLocal, Workers: 32},
	{Name: SettingFar, Workers: 8, Latency: time.Millisecond},
	{Name: "one machine, 8 workers", Workers: 8, mainOnly: true},
	{Name: "one machine, 128 workers", Workers: 128, mainOnly: true},
}
