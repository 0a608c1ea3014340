package compare

import (
	"slices"
	"time"
)

// Results are all that a run has measured: results.json.
type Results struct {
	Command  string          `json:"command"`
	Machine  Machine         `json:"machine"`
	Notes    []string        `json:"notes,omitempty"` // what was left out, and why
	Settings []SettingResult `json:"settings"`
	Trials   []Trial         `json:"trials"`
	Storm    Storm           `json:"storm"`
	Sizes    []Size          `json:"sizes"`
	WAL      []WAL           `json:"wal"`
	Allocs   Allocations     `json:"allocations"`
	Goals    []Goal          `json:"goals"`
	Took     Duration        `json:"took"`
}

// Duration is written in words.
type Duration time.Duration

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

// SettingResult is what was measured in a setting.
type SettingResult struct {
	Name    string `json:"name"`
	Workers int    `json:"workers"`
	// RoundTrip is what an empty statement takes from a candidate's place.
	RoundTrip Duration `json:"round_trip"`
	// Added is how much of it the network adds.
	Added Duration     `json:"network"`
	Cases []CaseResult `json:"cases"`
}

// CaseResult is what was measured of a case.
type CaseResult struct {
	Name   string  `json:"name"`
	Title  string  `json:"title"`
	Base   string  `json:"base"`
	Rounds []Round `json:"rounds"`
}

// Round is one measurement.
type Round struct {
	Requests  int     `json:"requests"`
	PerSecond float64 `json:"requests_per_second"`
	// Relative is PerSecond over that of the base in the same round.
	Relative float64 `json:"relative"`
	// Latencies, in milliseconds.
	P50 float64 `json:"p50_ms"`
	P95 float64 `json:"p95_ms"`
	P99 float64 `json:"p99_ms"`
	// CPU per request, in microseconds; 0 if it can't be measured.
	ServerCPU   float64 `json:"server_cpu_us"`
	DatabaseCPU float64 `json:"database_cpu_us"`
	// RelativeCPU is their sum over that of the base in the same round.
	RelativeCPU float64 `json:"relative_cpu"`
	// WAL is in bytes per request.
	WAL float64 `json:"wal_bytes"`
}

// CPU is that of server and database together.
func (r Round) CPU() float64 { return r.ServerCPU + r.DatabaseCPU }

// Spread is the middle of some measurements, and their ends.
type Spread struct{ Median, Min, Max float64 }

// Of gathers a figure over the rounds.
func (c *CaseResult) Of(figure func(Round) float64) Spread {
	var all []float64
	for _, r := range c.Rounds {
		all = append(all, figure(r))
	}
	return spread(all)
}

func spread(all []float64) Spread {
	if len(all) == 0 {
		return Spread{}
	}
	all = slices.Sorted(slices.Values(all))
	middle := all[len(all)/2]
	if len(all)%2 == 0 {
		middle = (middle + all[len(all)/2-1]) / 2
	}
	return Spread{Median: middle, Min: all[0], Max: all[len(all)-1]}
}

// Ratio compares a figure of two cases, round by round.
func (s *SettingResult) Ratio(name, other string, figure func(Round) float64) (Spread, bool) {
	a, b := s.Case(name), s.Case(other)
	if a == nil || b == nil {
		return Spread{}, false
	}
	var all []float64
	for i := range min(len(a.Rounds), len(b.Rounds)) {
		if f := figure(b.Rounds[i]); f > 0 {
			all = append(all, figure(a.Rounds[i])/f)
		}
	}
	return spread(all), len(all) > 0
}

// Case finds a case by its name; nil if it wasn't measured.
func (s *SettingResult) Case(name string) *CaseResult {
	for i := range s.Cases {
		if s.Cases[i].Name == name {
			return &s.Cases[i]
		}
	}
	return nil
}

// Setting finds a setting by its name; nil if it wasn't measured.
func (r *Results) Setting(name string) *SettingResult {
	for i := range r.Settings {
		if r.Settings[i].Name == name {
			return &r.Settings[i]
		}
	}
	return nil
}
