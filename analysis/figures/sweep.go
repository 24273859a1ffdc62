package figures

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"edgebench/analysis"
)

// warmupName is the phase whose length the sweep varies.
const warmupName = "warmup"

// warmupSweep shows cold starts over the length of the warm-up, a curve a group,
// with 95 % intervals over trials; the study's own trials stand beside them as
// crosses where it played the same profile.
func warmupSweep(runs []*Run) (*Picture, error) {
	var panels []*panel
	for _, by := range []struct {
		title     string
		of        func(analysis.Cold) *uint64
		published bool // the study counted this way
	}{
		{"cold by threshold", func(c analysis.Cold) *uint64 { return c.ByThreshold }, true},
		{"cold by the node's mark", func(c analysis.Cold) *uint64 { return c.Truth }, false},
	} {
		points := sweepPoints(runs, by.of)
		lengths := map[float64]bool{}
		for _, p := range points {
			lengths[p.seconds] = true
		}
		if len(lengths) < 2 {
			continue
		}
		series := sweepSeries(points)
		p := newPanel(by.title+" over the length of the warm-up", "warm-up (s)", "requests a trial")
		for i, s := range series {
			if err := addSeries(p, i, s); err != nil {
				return nil, err
			}
		}
		named := len(series)
		if by.published {
			n, err := addPublished(p, runs)
			if err != nil {
				return nil, err
			}
			named += n
		}
		p.X.Min, p.Y.Min = 0, 0
		p.Y.Max = max(p.Y.Max, 1)
		panels = append(panels, p)
	}
	if len(panels) == 0 {
		return nil, fmt.Errorf("%w: no two lengths of a phase called %s with cold counts", ErrNoData, warmupName)
	}
	return pictureOf(panels...), nil
}

type sweepPoint struct {
	label   string
	seconds float64
	values  []float64 // one a trial
}

func sweepPoints(runs []*Run, of func(analysis.Cold) *uint64) []sweepPoint {
	var points []sweepPoint
	for _, r := range runs {
		length := warmupOf(r)
		var total uint64
		known := false
		for _, m := range r.Summary.Measured {
			if n := of(m.All.Cold); n != nil {
				total, known = total+*n, true
			}
		}
		if length == 0 || !known {
			continue
		}
		seconds := length.Seconds()
		i := slices.IndexFunc(points, func(p sweepPoint) bool { return p.label == r.Label && p.seconds == seconds })
		if i < 0 {
			i = len(points)
			points = append(points, sweepPoint{label: r.Label, seconds: seconds})
		}
		points[i].values = append(points[i].values, float64(total))
	}
	slices.SortStableFunc(points, func(a, b sweepPoint) int { return cmp.Compare(a.seconds, b.seconds) })
	return points
}

// warmupOf is the length of the last cycle's warm-up: a first one may be shorter.
func warmupOf(r *Run) (length time.Duration) {
	for _, p := range r.Manifest.Phases {
		if p.Name == warmupName {
			length = time.Duration(p.LengthNS)
		}
	}
	return length
}

func sweepSeries(points []sweepPoint) []Series {
	var out []Series
	var labels []string
	for _, p := range points {
		i := slices.Index(labels, p.label)
		if i < 0 {
			i = len(out)
			labels, out = append(labels, p.label), append(out, Series{})
		}
		s, t := &out[i], analysis.OverTrials(p.values)
		s.Label = fmt.Sprintf("%s (n = %d)", p.label, t.N)
		low, high := t.Mean, t.Mean
		if t.Low95 != nil && t.N >= leastTrials {
			low, high = max(*t.Low95, 0), *t.High95
		}
		s.X, s.Y, s.Low, s.High = append(s.X, p.seconds), append(s.Y, t.Mean), append(s.Low, low), append(s.High, high)
	}
	return out
}

// addPublished marks the study's single trials, each in the colour of its policy.
func addPublished(p *panel, runs []*Run) (added int, err error) {
	at := map[string]plotter.XYs{}
	styles := map[string]int{}
	var modes []string
	for _, r := range runs {
		length, mode := warmupOf(r), r.Manifest.Mode
		study, ok := analysis.PublishedFor(r.Manifest.Profile, mode, length)
		xy := plotter.XY{X: length.Seconds(), Y: float64(study.Total)}
		if !ok || slices.Contains(at[mode], xy) {
			continue
		}
		if at[mode] == nil {
			modes = append(modes, mode)
			styles[mode] = r.style
		}
		at[mode] = append(at[mode], xy)
	}
	for _, mode := range modes {
		marks, err := plotter.NewScatter(at[mode])
		if err != nil {
			return 0, err
		}
		marks.GlyphStyle = draw.GlyphStyle{Color: colour(styles[mode]), Radius: vg.Points(4), Shape: draw.CrossGlyph{}}
		p.Add(marks)
		p.key("study, "+mode+" (one trial)", marks)
	}
	return len(modes), nil
}
