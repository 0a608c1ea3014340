package report

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"github.com/idemgen/idemgen/bench/internal/compare"
)

// page is what is being written.
type page struct{ bytes.Buffer }

func (p *page) printf(format string, args ...any) { _, _ = fmt.Fprintf(p, format, args...) }

func markdown(r *compare.Results) []byte {
	p := &page{}
	p.printf("# What idempotency costs\n\n")
	p.machine(r)
	p.printf("What is compared, and how: [benchmarks](../../docs/design/benchmarks.md). All figures: [results.json](results.json).\n\n")
	p.printf("![Throughput relative to a bare transaction](throughput.svg)\n\n![The same with 1 ms to the database](throughput-far.svg)\n\n![CPU per request](cpu.svg)\n\n![Latency](latency.svg)\n\n")
	p.goals(r.Goals)
	p.trials(r.Trials)
	for i := range r.Settings {
		p.setting(&r.Settings[i])
	}
	p.sizes(r.Sizes)
	p.wal(r.WAL)
	p.printf("## Also\n\n")
	p.printf("- %d duplicates of one request that was in flight: all got 409, and the pool had opened %s.\n", r.Storm.Duplicates, counted(r.Storm.Connections, "connection"))
	p.printf("- Allocations of a new order, from the parsed request to the rendered response, pgx's included: bare %.0f, idemgen %.0f.\n", r.Allocs.Bare, r.Allocs.Idemgen)
	return p.Bytes()
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// inMemory is less than an fsync takes on any disk.
const inMemory = 10 * time.Microsecond

func (p *page) machine(r *compare.Results) {
	m := r.Machine
	p.printf("`make bench` (`%s`) on %s, in %s: %d CPUs (%s, %s), load %s before, %s,\n", r.Command, m.Date, time.Duration(r.Took), m.Cores, m.CPU, m.System, m.Load, m.Go)
	p.printf("PostgreSQL %s with %s, else as it comes; an fsync takes %s there.\n", m.PostgreSQL, m.Settings, rounded(m.Sync))
	if time.Duration(m.Sync) < inMemory {
		p.printf("So these files are in memory, and what a commit costs on a disk doesn't show.\n")
	}
	if m.Redis != "" {
		p.printf("Redis %s, without persistence.", m.Redis)
	}
	p.printf(" Everything on the same machine.\n\n")
	for _, note := range r.Notes {
		p.printf("- %s\n", note)
	}
	if len(r.Notes) > 0 {
		p.printf("\n")
	}
}

func (p *page) goals(goals []compare.Goal) {
	p.printf("## Goals\n\n| goal | measured | |\n|---|---|---|\n")
	for _, g := range goals {
		verdict := "not measured"
		if g.Met != nil {
			verdict = map[bool]string{true: "met", false: "**missed**"}[*g.Met]
		}
		p.printf("| %s | %s | %s |\n", g.Text, g.Measured, verdict)
	}
	p.printf("\nRatios are medians over the rounds, with the lowest and the highest in parentheses.\n\n")
}

func (p *page) trials(trials []compare.Trial) {
	p.printf("## What each guarantees\n\nTried in this run. The server was killed after each round trip of a request to PostgreSQL or Redis, and the request retried\n")
	p.printf("on a new one. \"After the lease\": the retry was refused until then.\n\n")
	p.printf("| | killed: done twice | concurrent duplicates done twice, on one server | on two | the key with another body | a retry gets |\n|---|---|---|---|---|---|\n")
	for _, t := range trials {
		killed := fmt.Sprintf("%s of %d", bold(t.Duplicated), t.Points)
		if t.Waited > 0 {
			killed += fmt.Sprintf(", %d after the lease", t.Waited)
		}
		p.printf("| %s | %s | %s of %d | %s of %d | %s | %s |\n", t.Title, killed, bold(t.TwiceInOne), t.Keys, bold(t.TwiceInTwo), t.Keys, otherBody(t), retried(t))
	}
	p.printf("\n")
}

// bold shows what shouldn't be.
func bold(n int) string {
	if n > 0 {
		return fmt.Sprintf("**%d**", n)
	}
	return "0"
}

func otherBody(t compare.Trial) string {
	switch {
	case t.OtherBody >= http.StatusBadRequest:
		return fmt.Sprintf("refused (%d)", t.OtherBody)
	case t.Replayed:
		return "**the first one's answer**"
	}
	return "**done**"
}

func retried(t compare.Trial) string {
	switch {
	case !t.Replayed:
		return "**done again**"
	case t.Identical:
		return "the same bytes"
	}
	return "**other bytes**"
}

func (p *page) setting(s *compare.SettingResult) {
	p.printf("## %s\n\nMedians of %s. An empty statement takes %s", title(s.Name), counted(len(s.Cases[0].Rounds), "round"), rounded(s.RoundTrip))
	if s.Added > 0 {
		p.printf(", %s of it in the network", rounded(s.Added))
	}
	p.printf(". CPU is that of server + database.\n\n")
	p.printf("| | requests/s | of base | lowest to highest | p50 | p95 | p99 | CPU a request | of base | WAL a request |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for i := range s.Cases {
		c := &s.Cases[i]
		median := func(figure func(compare.Round) float64) float64 { return c.Of(figure).Median }
		relative := c.Of(func(r compare.Round) float64 { return r.Relative })
		p.printf("| %s | %.0f | **%.2f x** | %.2f to %.2f | %.2f ms | %.2f ms | %.2f ms | %.0f + %.0f µs | %.2f x | %.0f B |\n", c.Title,
			median(func(r compare.Round) float64 { return r.PerSecond }), relative.Median, relative.Min, relative.Max,
			median(func(r compare.Round) float64 { return r.P50 }), median(func(r compare.Round) float64 { return r.P95 }), median(func(r compare.Round) float64 { return r.P99 }),
			median(func(r compare.Round) float64 { return r.ServerCPU }), median(func(r compare.Round) float64 { return r.DatabaseCPU }),
			median(func(r compare.Round) float64 { return r.RelativeCPU }), median(func(r compare.Round) float64 { return r.WAL }))
	}
	p.printf("\n")
}

func title(s string) string { return string(bytes.ToUpper([]byte(s[:1]))) + s[1:] }

// rounded is a duration with three digits or so.
func rounded(d compare.Duration) string {
	unit := time.Nanosecond
	for unit*1000 <= time.Duration(d) {
		unit *= 10
	}
	return time.Duration(d).Round(unit).String()
}

func (p *page) sizes(sizes []compare.Size) {
	p.printf("## What a record takes\n\nIn bytes of PostgreSQL's files, for each of many records with random keys.\n\n| | records | body | table | indexes | total |\n|---|--:|--:|--:|---|--:|\n")
	for _, s := range sizes {
		p.printf("| %s | %d | %d | %.0f |", s.Title, s.Records, s.Body, s.Table)
		for _, index := range s.Indexes {
			p.printf(" %s %.0f", index.Name, index.Bytes)
		}
		p.printf(" | **%.0f** |\n", s.Total())
	}
	p.printf("\n")
}

func (p *page) wal(all []compare.WAL) {
	p.printf("## WAL just after a checkpoint\n\nPostgreSQL writes a page as a whole when it is touched for the first time.\n\n| | records | requests | bytes a request | above bare |\n|---|--:|--:|--:|--:|\n")
	for _, w := range all {
		p.printf("| %s | %d | %d | %.0f | %.0f |\n", w.Title, w.Records, w.Requests, w.Bytes, w.Bytes-all[0].Bytes)
	}
	p.printf("\n")
}
