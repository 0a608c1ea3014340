package report

import (
	"errors"
	"fmt"
	"image/color"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/idemgen/idemgen/bench/internal/compare"
)

// Colors that stay apart for the color-blind too (Okabe and Ito).
var (
	colorOurs   = color.RGBA{R: 0x00, G: 0x72, B: 0xb2, A: 0xff}
	colorOthers = color.RGBA{R: 0xbb, G: 0xbb, B: 0xbb, A: 0xff}
	colorSecond = color.RGBA{R: 0xe6, G: 0x9f, B: 0x00, A: 0xff}
)

// charts draws the first setting, which has all cases.
func charts(r *compare.Results, dir string) error {
	if len(r.Settings) == 0 {
		return errors.New("no setting was measured")
	}
	s := &r.Settings[0]
	return errors.Join(
		throughput(s, filepath.Join(dir, "throughput.svg")),
		cpu(s, filepath.Join(dir, "cpu.svg")),
		latency(s, filepath.Join(dir, "latency.svg")),
	)
}

// throughput has idemgen's bars in another color than the others'.
func throughput(s *compare.SettingResult, path string) error {
	p := newPlot(s, "Throughput, relative to the bare write (higher is better)", "x bare")
	relative := func(r compare.Round) float64 { return r.Relative }
	ours, others := values(s, relative), values(s, relative)
	for i, name := range names(s) {
		if strings.Contains(name, "idemgen") {
			others[i] = 0
		} else {
			ours[i] = 0
		}
	}
	if err := errors.Join(bars(p, ours, colorOurs, ""), bars(p, others, colorOthers, "")); err != nil {
		return err
	}
	if err := labels(p, values(s, relative), "%.2f"); err != nil {
		return err
	}
	return save(p, s, path)
}

func cpu(s *compare.SettingResult, path string) error {
	p := newPlot(s, "CPU of a request (lower is better)", "microseconds")
	server := values(s, func(r compare.Round) float64 { return r.ServerCPU })
	both := values(s, func(r compare.Round) float64 { return r.CPU() })
	// The second is drawn over the first, which shows what goes beyond.
	err := errors.Join(
		bars(p, both, colorSecond, "PostgreSQL and Redis"),
		bars(p, server, colorOurs, "server"),
		labels(p, both, "%.0f"),
	)
	if err != nil {
		return err
	}
	return save(p, s, path)
}

func latency(s *compare.SettingResult, path string) error {
	p := newPlot(s, "Latency (lower is better)", "milliseconds")
	p99 := values(s, func(r compare.Round) float64 { return r.P99 })
	err := errors.Join(
		bars(p, p99, colorSecond, "p99"),
		bars(p, values(s, func(r compare.Round) float64 { return r.P50 }), colorOurs, "p50"),
		labels(p, p99, "%.1f"),
	)
	if err != nil {
		return err
	}
	return save(p, s, path)
}

const wide = vg.Length(11)

func newPlot(s *compare.SettingResult, title, unit string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = color.White
	p.Title.Text = fmt.Sprintf("%s\n%s, medians of %s", title, s.Name, counted(len(s.Cases[0].Rounds), "round"))
	p.Title.Padding = vg.Points(8)
	p.X.Label.Text = unit
	p.X.Min = 0
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(-6), vg.Points(6)
	p.NominalY(titles(s)...)
	grid := plotter.NewGrid()
	grid.Horizontal.Width = 0
	grid.Vertical.Color = color.Gray{Y: 0xdd}
	p.Add(grid)
	return p
}

// fromBelow gives a figure of each case, the last one first: the axis goes up.
func fromBelow[V any](s *compare.SettingResult, figure func(*compare.CaseResult) V) []V {
	all := make([]V, 0, len(s.Cases))
	for i := range s.Cases {
		all = append(all, figure(&s.Cases[len(s.Cases)-1-i]))
	}
	return all
}

func titles(s *compare.SettingResult) []string {
	return fromBelow(s, func(c *compare.CaseResult) string { return c.Title })
}

func names(s *compare.SettingResult) []string {
	return fromBelow(s, func(c *compare.CaseResult) string { return c.Name })
}

func values(s *compare.SettingResult, figure func(compare.Round) float64) plotter.Values {
	return fromBelow(s, func(c *compare.CaseResult) float64 { return c.Of(figure).Median })
}

func bars(p *plot.Plot, values plotter.Values, c color.Color, legend string) error {
	chart, err := plotter.NewBarChart(values, wide)
	if err != nil {
		return err
	}
	chart.Horizontal, chart.Color, chart.LineStyle.Width = true, c, 0
	p.Add(chart)
	if legend != "" {
		p.Legend.Add(legend, chart)
	}
	return nil
}

// labels writes the figures behind the bars.
func labels(p *plot.Plot, values plotter.Values, format string) error {
	l := plotter.XYLabels{}
	for i, value := range values {
		l.XYs = append(l.XYs, plotter.XY{X: value, Y: float64(i)})
		l.Labels = append(l.Labels, fmt.Sprintf(format, value))
	}
	chart, err := plotter.NewLabels(l)
	if err != nil {
		return err
	}
	chart.Offset = vg.Point{X: vg.Points(4), Y: vg.Points(-4)}
	p.Add(chart)
	return nil
}

func save(p *plot.Plot, s *compare.SettingResult, path string) error {
	height := vg.Points(float64(90 + 20*len(s.Cases)))
	return p.Save(vg.Points(640), height, path)
}
