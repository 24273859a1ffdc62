package figures

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot/plotter"

	"edgebench/analysis/rundir"
	"edgebench/profiles"
	"edgebench/profiles/arrival"
)

// arrivalsQQ sets the gaps between requests as sent against quantiles of their
// law. Gaps are measured on the clock of the planned rate (time rescaling), so
// that ramps do not blur the law: the unit is the mean gap.
func arrivalsQQ(runs []*Run) (*Picture, error) {
	var panels []*panel
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
	return tallPicture(1.5, panels...), nil
}

// mostGaps bounds what is kept of a long run: its first requests.
const mostGaps = 100_000

func (r *Run) qq() (*panel, error) {
	p, err := profiles.Load(filepath.Join(r.Dir, rundir.ProfileFile))
	if err != nil {
		return nil, nil // a profile of another version: the other figures stand
	}
	schedule, err := p.Schedule()
	if err != nil || schedule.Law() == nil || schedule.Law().SCV() == 0 {
		return nil, err
	}
	sent, err := r.sent()
	if err != nil {
		return nil, err
	}
	measured := gaps(schedule, sent)
	if len(measured) < leastGaps {
		return nil, nil
	}
	slices.Sort(measured)
	const points = 400
	xy, band := make(plotter.XYs, points), make(plotter.XYs, 2*points)
	law := lawDraws(schedule.Law(), len(measured))
	for k := range points {
		i := k * (len(measured) - 1) / (points - 1)
		low, middle, high := law.ordered(i, len(measured))
		xy[k] = plotter.XY{X: middle, Y: measured[i]}
		band[k], band[2*points-1-k] = plotter.XY{X: middle, Y: low}, plotter.XY{X: middle, Y: high}
	}
	pl := newPanel(fmt.Sprintf("%s: gaps as sent against %v", r.Label, schedule.Law()), "quantile of the law (mean gaps)", "measured (mean gaps)")
	scatter, err := plotter.NewScatter(xy)
	if err != nil {
		return nil, err
	}
	scatter.GlyphStyle = glyph(0)
	scatter.GlyphStyle.Radius = 1.5
	area, err := plotter.NewPolygon(band)
	if err != nil {
		return nil, err
	}
	area.Color, area.LineStyle.Width = faint(grey), 0
	pl.Add(area)
	end := max(xy[points-1].X, xy[points-1].Y)
	if err := addCurve(pl, 1, curve{"equal", []float64{0, end}, []float64{0, end}, false}); err != nil {
		return nil, err
	}
	pl.Add(scatter)
	pl.key("where a gap of that rank lies, 95 %", span{colour: faint(grey)})
	return pl, nil
}

// leastGaps are enough to compare with a law.
const leastGaps = 20

// An instant is when a request was sent, in seconds.
type instant struct {
	index int64
	at    float64
}

// sent are the instants of the first requests sent, sorted.
func (r *Run) sent() ([]instant, error) {
	var out []instant
	_, err := rundir.ReadSamples(r.Dir, func(s *rundir.Sample) error {
		if s.Outcome != rundir.Dropped && s.Index < mostGaps {
			out = append(out, instant{int64(s.Index), float64(s.Sent) / 1e9})
		}
		return nil
	})
	slices.SortFunc(out, func(a, b instant) int { return cmp.Compare(a.at, b.at) })
	return out, unlessMissing(err)
}

// gaps are differences of the planned cumulative count at the instants, between
// neighbours of the schedule: where rows are a sample or a request was dropped,
// what lies between two rows is no gap.
func gaps(s *arrival.Schedule, sent []instant) []float64 {
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
	var out []float64
	last := 0.0
	for i, v := range sent {
		c := count(v.at)
		if i > 0 && v.index == sent[i-1].index+1 {
			out = append(out, c-last)
		}
		last = c
	}
	return out
}

// draws are a large sorted sample of a law, which needs no inverse of its own.
type draws []float64

// lawDraws are enough for the quantiles of n gaps.
func lawDraws(law arrival.Law, n int) draws {
	d := make(draws, max(20*n, 400_000))
	g := law.Gaps(arrival.Random(1, "quantiles of a law"))
	for i := range d {
		d[i] = g.Next()
	}
	slices.Sort(d)
	return d
}

func (d draws) quantile(p float64) float64 { return d[min(int(p*float64(len(d))), len(d)-1)] }

// ordered is where the gap of rank i (from 0) of n lies: its place by the law and
// the ends of 95 %. Ranks of uniform variables have a beta distribution.
func (d draws) ordered(i, n int) (low, middle, high float64) {
	rank := distuv.Beta{Alpha: float64(i + 1), Beta: float64(n - i)}
	return d.quantile(rank.Quantile(0.025)), d.quantile((float64(i) + 0.5) / float64(n)), d.quantile(rank.Quantile(0.975))
}
