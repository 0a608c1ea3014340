package compare

import "fmt"

// Goal is one of those that this project has set itself.
type Goal struct {
	Text     string `json:"goal"`
	Measured string `json:"measured"`
	// Met is nil where it couldn't be measured.
	Met *bool `json:"met"`
}

// goals compares what was measured with what was wanted.
func goals(r *Results) (all []Goal) {
	local, far := r.Setting(SettingLocal), r.Setting(SettingFar)
	const here = "One machine, 32 workers: "
	all = []Goal{
		cheap(here+"CPU per new request, server and database, at most 1.2 x bare", local, caseFresh, caseBare, 1.2),
		fast(here+"throughput of new requests at least 0.85 x bare", local, caseFresh, caseBare, .85),
		fast("1 ms to the database, 8 workers: throughput at least 0.97 x bare", far, caseFresh, caseBare, .97),
		fast(here+"at least 1.45 x recipe A", local, caseFresh, "recipe-a", 1.45),
		fast(here+"at least 1.5 x recipe B", local, caseFresh, "recipe-b", 1.5),
		fast(here+"at least 1.35 x recipe C", local, caseFresh, "recipe-c", 1.35),
		fast(here+"at least 1.35 x a library with a durable store: fiber's in Redis", local, caseFresh, "fiber-redis", 1.35),
		fast(here+"a write of one INSERT at least 1.15 x bare's Begin, INSERT, Commit", local, caseReview, caseReviewBare, 1.15),
		fast(here+"a write of one INSERT at least 0.85 x the statement alone", local, caseReview, caseReviewAuto, .85),
		fast(here+"replays at least 2.4 x new requests", local, caseReplay, caseFresh, 2.4),
	}
	all = append(all, judged(fmt.Sprintf("%d duplicates of one request in flight take at most 2 connections of the pool", r.Storm.Duplicates),
		fmt.Sprintf("%d", r.Storm.Connections), r.Storm.Connections <= 2))
	for _, size := range r.Sizes {
		if size.Name == "idemgen" {
			all = append(all, judged("One record with a body of 150 bytes takes at most 310 bytes of table and indexes",
				fmt.Sprintf("%.0f bytes with a body of %d", size.Total(), size.Body), size.Total()-float64(size.Body) <= 310-150))
		}
	}
	all = append(all, walGoals(r)...)
	above := r.Allocs.Idemgen - r.Allocs.Bare
	return append(all, judged("At most 40 allocations above bare for a new request", fmt.Sprintf("%.0f", above), above <= 40))
}

// walGoals are about what is written above bare.
func walGoals(r *Results) []Goal {
	above := map[string]float64{}
	for _, w := range r.WAL {
		above[w.Name] = w.Bytes
	}
	for name := range above {
		if name != walBare {
			above[name] -= above[walBare]
		}
	}
	small := above[walSmall]
	goals := []Goal{judged("WAL of a new request, small table: at most 400 bytes above bare", fmt.Sprintf("%.0f bytes", small), small <= 400)}
	const timed = "WAL of a new request with a UUIDv7 key, large table: at most 1.3 x that of a small one, above bare"
	large, measured := above[walLargeTimed]
	if !measured {
		return append(goals, Goal{Text: timed, Measured: "not measured"})
	}
	return append(goals, judged(timed, fmt.Sprintf("%.2f x, %.0f bytes; with random keys %.0f bytes", large/small, large, above[walLargeRandom]), large <= 1.3*small))
}

// cheap wants a case's CPU per request to be at most so many times another's.
func cheap(text string, s *SettingResult, name, other string, most float64) Goal {
	got, ok := s.Ratio(name, other, Round.CPU)
	if !ok {
		return Goal{Text: text, Measured: "not measured"}
	}
	return judged(text, ratio(got), got.Median <= most)
}

// fast wants a case's throughput to be at least so many times another's. CPU
// per request is told beside it, for it depends less on what else happens.
func fast(text string, s *SettingResult, name, other string, least float64) Goal {
	got, ok := s.Ratio(name, other, func(r Round) float64 { return r.PerSecond })
	if !ok {
		return Goal{Text: text, Measured: "not measured"}
	}
	measured := ratio(got)
	if used, ok := s.Ratio(name, other, Round.CPU); ok {
		measured += "; CPU " + ratio(used)
	}
	return judged(text, measured, got.Median >= least)
}

func ratio(s Spread) string { return fmt.Sprintf("%.2f x (%.2f to %.2f)", s.Median, s.Min, s.Max) }

func judged(text, measured string, met bool) Goal {
	return Goal{Text: text, Measured: measured, Met: &met}
}
