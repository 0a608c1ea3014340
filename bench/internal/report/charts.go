package report

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
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

// charts draws the settings that have all cases.
func charts(r *compare.Results, dir string) error {
	s, far := r.Setting(compare.SettingLocal), r.Setting(compare.SettingFar)
	if s == nil || far == nil {
		return errors.New("there is nothing to draw: a setting wasn't measured")
	}
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	plotter.DefaultFont = plot.DefaultFont
	return errors.Join(
		throughput(far, filepath.Join(dir, "throughput-far.svg")),
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
	if err := errors.Join(spreads(p, s, relative), labels(p, s, relative, "%.2f")); err != nil {
		return err
	}
	return save(p, s, path)
}

func cpu(s *compare.SettingResult, path string) error {
	p := newPlot(s, "CPU of a request (lower is better)", "microseconds")
	server := values(s, func(r compare.Round) float64 { return r.ServerCPU })
	both := values(s, compare.Round.CPU)
	// The second is drawn over the first, which shows what goes beyond.
	err := errors.Join(
		bars(p, both, colorSecond, "PostgreSQL and Redis"),
		bars(p, server, colorOurs, "server"),
		spreads(p, s, compare.Round.CPU),
		labels(p, s, compare.Round.CPU, "%.0f"),
	)
	if err != nil {
		return err
	}
	return save(p, s, path)
}

func latency(s *compare.SettingResult, path string) error {
	p := newPlot(s, "Latency (lower is better)", "milliseconds")
	p99 := func(r compare.Round) float64 { return r.P99 }
	err := errors.Join(
		bars(p, values(s, p99), colorSecond, "p99"),
		bars(p, values(s, func(r compare.Round) float64 { return r.P50 }), colorOurs, "p50"),
		spreads(p, s, p99),
		labels(p, s, p99, "%.1f"),
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
	p.X.Padding, p.Y.Padding = vg.Points(4), vg.Points(4)
	p.Y.Tick.Label.Font.Size, p.X.Tick.Label.Font.Size = small, small
	p.X.Label.TextStyle.Font.Size, p.Legend.TextStyle.Font.Size = small, small
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

// spreads draws a line from the lowest to the highest of the rounds.
func spreads(p *plot.Plot, s *compare.SettingResult, figure func(compare.Round) float64) error {
	var points struct {
		plotter.XYs
		plotter.XErrors
	}
	for i, spread := range fromBelow(s, func(c *compare.CaseResult) compare.Spread { return c.Of(figure) }) {
		points.XYs = append(points.XYs, plotter.XY{X: spread.Median, Y: float64(i)})
		points.XErrors = append(points.XErrors, struct{ Low, High float64 }{spread.Median - spread.Min, spread.Max - spread.Median})
	}
	chart, err := plotter.NewXErrorBars(points)
	if err != nil {
		return err
	}
	chart.CapWidth = wide / 3
	chart.Color = color.Gray{Y: 0x55}
	p.Add(chart)
	return nil
}

// labels writes the medians behind the bars, and behind their spreads.
func labels(p *plot.Plot, s *compare.SettingResult, figure func(compare.Round) float64, format string) error {
	l := plotter.XYLabels{}
	for i, spread := range fromBelow(s, func(c *compare.CaseResult) compare.Spread { return c.Of(figure) }) {
		l.XYs = append(l.XYs, plotter.XY{X: spread.Max, Y: float64(i)})
		l.Labels = append(l.Labels, fmt.Sprintf(format, spread.Median))
		p.X.Max = max(p.X.Max, spread.Max*1.08) // room for the text
	}
	chart, err := plotter.NewLabels(l)
	if err != nil {
		return err
	}
	for i := range chart.TextStyle {
		chart.TextStyle[i].Font.Size = small
	}
	chart.Offset = vg.Point{X: vg.Points(4), Y: vg.Points(-3)}
	p.Add(chart)
	return nil
}

const small = font.Length(9)

// save writes an SVG, whose font others have under another name.
func save(p *plot.Plot, s *compare.SettingResult, path string) error {
	height := vg.Points(float64(90 + 20*len(s.Cases)))
	picture, err := p.WriterTo(vg.Points(680), height, "svg")
	if err != nil {
		return err
	}
	var svg bytes.Buffer
	if _, err := picture.WriteTo(&svg); err != nil {
		return err
	}
	named := bytes.ReplaceAll(svg.Bytes(), []byte("font-family:Liberation Sans"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif"))
	return os.WriteFile(path, named, 0o644) //nolint:gosec // for all to read
}
