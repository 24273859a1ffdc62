package figures

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"edgebench/analysis/rundir"
	"edgebench/profiles"
	"edgebench/profiles/arrival"
)

// arrivalsQQ sets the gaps between requests as sent against quantiles of their
// law. Gaps are measured on the clock of the planned rate (time rescaling), so
// that ramps do not blur the law: the unit is the mean gap.
func arrivalsQQ(runs []*Run) (*Picture, error) {
	var panels []*plot.Plot
	for _, r := range firsts(runs) {
		p, err := r.qq()
		if err != nil {
			return nil, err
		}
		if p != nil {
			panels = append(panels, p)
		}
	}
	if len(panels) == 0 {
		return nil, fmt.Errorf("%w: no arrivals of a random law", ErrNoData)
	}
	return pictureOf(panels...), nil
}

// mostGaps bounds what is kept of a long run: its first requests.
const mostGaps = 100_000

func (r *Run) qq() (*plot.Plot, error) {
	p, err := profiles.Load(filepath.Join(r.Dir, rundir.ProfileFile))
	if err != nil {
		return nil, nil // a profile of another version: the other figures stand
	}
	schedule, err := p.Schedule()
	if err != nil || schedule.Law() == nil || schedule.Law().SCV() == 0 {
		return nil, err
	}
	sent, err := r.sent()
	if err != nil || len(sent) < 20 {
		return nil, err
	}
	measured := gaps(schedule, sent)
	want := lawQuantiles(schedule.Law(), len(measured))
	slices.Sort(measured)
	const points = 400
	xy := make(plotter.XYs, 0, points)
	for k := range points {
		i := k * (len(measured) - 1) / (points - 1)
		xy = append(xy, plotter.XY{X: want[i], Y: measured[i]})
	}
	pl := panel(fmt.Sprintf("%s: gaps as sent against %v", r.Label, schedule.Law()), "quantile of the law (mean gaps)", "measured (mean gaps)")
	s, err := plotter.NewScatter(xy)
	if err != nil {
		return nil, err
	}
	s.GlyphStyle = glyph(0)
	s.GlyphStyle.Radius = 1.5
	end := max(want[len(want)-1], measured[len(measured)-1])
	if err := addCurve(pl, 1, curve{"equal", []float64{0, end}, []float64{0, end}, false}); err != nil {
		return nil, err
	}
	pl.Add(s)
	pl.Legend.Left = true
	return pl, nil
}

// sent are the instants of the first requests sent, in seconds, sorted.
func (r *Run) sent() ([]float64, error) {
	var at []float64
	_, err := rundir.ReadSamples(r.Dir, func(s *rundir.Sample) error {
		if s.Outcome != rundir.Dropped && s.Index < mostGaps {
			at = append(at, float64(s.Sent)/1e9)
		}
		return nil
	})
	slices.Sort(at)
	return at, unlessMissing(err)
}

// gaps are differences of the planned cumulative count at the instants.
func gaps(s *arrival.Schedule, at []float64) []float64 {
	phases := s.Phases()
	before, k := 0.0, 0
	count := func(t float64) float64 {
		for k+1 < len(phases) && t >= phases[k+1].Start.Seconds() {
			before += phases[k].Curve.Count(phases[k].Length)
			k++
		}
		into := min(max(t-phases[k].Start.Seconds(), 0), phases[k].Length.Seconds())
		return before + phases[k].Curve.Count(time.Duration(into*1e9))
	}
	out := make([]float64, 0, len(at))
	last := 0.0
	for i, t := range at {
		c := count(t)
		if i > 0 {
			out = append(out, c-last)
		}
		last = c
	}
	return out
}

// lawQuantiles are n sorted draws' expected positions: quantiles of a large
// sample of the law, which needs no inverse of its own.
func lawQuantiles(law arrival.Law, n int) []float64 {
	const each = 20
	draws := make([]float64, n*each)
	g := law.Gaps(arrival.Random(1, "quantiles of a law"))
	for i := range draws {
		draws[i] = g.Next()
	}
	slices.Sort(draws)
	out := make([]float64, n)
	for i := range out {
		out[i] = draws[i*each+each/2]
	}
	return out
}
