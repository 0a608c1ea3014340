package compare

import (
	"fmt"
)

// Goal is one of those that this project has set itself.
type Goal struct {
	Text     string `json:"goal"`
	Measured string `json:"measured"`
	// Met is nil where it couldn't be measured.
	Met *bool `json:"met"`
}

func throughput(r Round) float64 { return r.PerSecond }
func cpu(r Round) float64        { return r.CPU() }

// goals compares what was measured with what was wanted.
func goals(r *Results) (all []Goal) {
	ratio := func(text, setting, name, other string, figure func(Round) float64, met func(float64) bool) {
		g := Goal{Text: text, Measured: "not measured"}
		if s := r.Setting(setting); s != nil {
			if got, ok := s.Ratio(name, other, figure); ok {
				g = judged(text, fmt.Sprintf("%.2f x (%.2f to %.2f)", got.Median, got.Min, got.Max), met(got.Median))
			}
		}
		all = append(all, g)
	}
	local := "One machine, 32 workers: "
	ratio(local+"CPU per new request, server and database, at most 1.2 x bare", SettingLocal, caseFresh, caseBare, cpu, atMost(1.2))
	ratio(local+"throughput of new requests at least 0.85 x bare", SettingLocal, caseFresh, caseBare, throughput, atLeast(.85))
	ratio("1 ms to the database, 8 workers: throughput at least 0.97 x bare", SettingFar, caseFresh, caseBare, throughput, atLeast(.97))
	ratio(local+"at least 1.45 x recipe A", SettingLocal, caseFresh, "recipe-a", throughput, atLeast(1.45))
	ratio(local+"at least 1.5 x recipe B", SettingLocal, caseFresh, "recipe-b", throughput, atLeast(1.5))
	ratio(local+"at least 1.35 x recipe C", SettingLocal, caseFresh, "recipe-c", throughput, atLeast(1.35))
	ratio(local+"at least 1.35 x a library with a durable store: fiber's in Redis", SettingLocal, caseFresh, "fiber-redis", throughput, atLeast(1.35))
	ratio(local+"a write of one INSERT at least 1.15 x bare's Begin, INSERT, Commit", SettingLocal, caseReview, caseReviewBare, throughput, atLeast(1.15))
	ratio(local+"a write of one INSERT at least 0.85 x the statement alone", SettingLocal, caseReview, caseReviewAuto, throughput, atLeast(.85))
	ratio(local+"replays at least 2.4 x new requests", SettingLocal, caseReplay, caseFresh, throughput, atLeast(2.4))
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

func judged(text, measured string, met bool) Goal {
	return Goal{Text: text, Measured: measured, Met: &met}
}

func atLeast(want float64) func(float64) bool { return func(got float64) bool { return got >= want } }
func atMost(want float64) func(float64) bool  { return func(got float64) bool { return got <= want } }
