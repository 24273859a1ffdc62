package compare

import (
	"fmt"
	"slices"
	"strings"

	"edgebench/analysis/stats"
)

// Axes of a trade-off when none are named.
const (
	DefaultCost    = "pss_byte_seconds"
	simulatedCost  = "worker_seconds" // the twin has no memory
	DefaultQuality = "cold"
)

// A Frontier is groups as points of cost (x) against quality (y), less being
// better on both.
type Frontier struct {
	Set
	Phase    string  `json:"phase"`
	Function string  `json:"function"`
	Path     string  `json:"path"`
	X        Metric  `json:"x"`
	Y        Metric  `json:"y"`
	Points   []Point `json:"points"` // by x, then y
}

// A Point is one group's means. On the frontier no other is at least as good
// on both axes and better on one.
type Point struct {
	Letter      string     `json:"letter"`
	Name        string     `json:"name"`
	Trials      int        `json:"trials"`
	X           *Estimate  `json:"x"`
	Y           *Estimate  `json:"y"`
	PSS         *Estimate  `json:"pss_mean"`
	RSS         *Estimate  `json:"rss_mean"`
	OnFrontier  bool       `json:"on_frontier"`
	DominatedBy []Dominant `json:"dominated_by"` // points of the frontier that are better
}

// A Dominant is how much better another point is: its means less the point's.
type Dominant struct {
	Letter string  `json:"letter"`
	DX     float64 `json:"dx"` // 0 or below
	DY     float64 `json:"dy"` // 0 or below
	// Clear is false when the intervals overlap on both axes, or are missing:
	// another set of trials might have it the other way round.
	Clear bool `json:"clear"`
}

// Pareto finds the frontier. Empty names take the default axes; a group that
// did not measure one of the axes is left out with a note.
func Pareto(set *Set, x, y string, o Options) (*Frontier, error) {
	if x == "" {
		x = DefaultCost
		if !slices.ContainsFunc(set.Groups, func(g *Group) bool { return !g.Simulated() }) {
			x = simulatedCost
		}
	}
	if y == "" {
		y = DefaultQuality
	}
	axes, err := choose([]string{x, y}, nil)
	if err != nil {
		return nil, err
	}
	f := &Frontier{Set: *set, Phase: o.Phase, Function: o.Function, Path: o.Path, X: axes[0], Y: axes[1], Points: []Point{}}
	if !f.X.cost || !f.Y.quality {
		return nil, fmt.Errorf("%w: --x is a cost (%s), --y a quality (%s)", ErrUsage, axisNames(func(m Metric) bool { return m.cost }), axisNames(func(m Metric) bool { return m.quality }))
	}
	memory, err := choose([]string{"pss_mean", "rss_mean"}, nil)
	if err != nil {
		return nil, err
	}
	of := func(m Metric, g *Group) *Estimate {
		values, _ := m.values(g.Trials)
		return estimate(values)
	}
	for _, g := range set.Groups {
		p := Point{Letter: g.Letter, Name: g.Name, Trials: len(g.Trials), X: of(f.X, g), Y: of(f.Y, g), PSS: of(memory[0], g), RSS: of(memory[1], g), DominatedBy: []Dominant{}}
		if p.X == nil || p.Y == nil {
			missing := f.X.Name
			if p.X != nil {
				missing = f.Y.Name
			}
			f.Notes = append(f.Notes, fmt.Sprintf("%s (%s) is left out: it did not measure %s", g.Letter, g.Name, missing))
			continue
		}
		f.Points = append(f.Points, p)
	}
	if len(f.Points) == 0 {
		return nil, fmt.Errorf("%w: no group measured both %s and %s", ErrUsage, f.X.Name, f.Y.Name)
	}
	f.dominate()
	f.Notes = append(f.Notes, fewNotes(set.Groups)...)
	return f, nil
}

func axisNames(is func(Metric) bool) string {
	axes, _ := choose(nil, is) // no names, nothing unknown
	return strings.Join(metricNames(axes), " ")
}

// dominate sorts the points and marks the frontier.
func (f *Frontier) dominate() {
	slices.SortStableFunc(f.Points, func(a, b Point) int {
		switch {
		case a.X.Mean < b.X.Mean, a.X.Mean == b.X.Mean && a.Y.Mean < b.Y.Mean:
			return -1
		case a.X.Mean == b.X.Mean && a.Y.Mean == b.Y.Mean:
			return 0
		}
		return 1
	})
	better := func(a, b *Point) bool {
		return a.X.Mean <= b.X.Mean && a.Y.Mean <= b.Y.Mean && (a.X.Mean < b.X.Mean || a.Y.Mean < b.Y.Mean)
	}
	for i := range f.Points {
		p := &f.Points[i]
		p.OnFrontier = !slices.ContainsFunc(f.Points, func(q Point) bool { return better(&q, p) })
	}
	for i := range f.Points {
		p := &f.Points[i]
		for k := range f.Points {
			if q := &f.Points[k]; q.OnFrontier && better(q, p) {
				p.DominatedBy = append(p.DominatedBy, Dominant{
					Letter: q.Letter, DX: q.X.Mean - p.X.Mean, DY: q.Y.Mean - p.Y.Mean,
					Clear: apart(p.X.Interval(), q.X.Interval()) || apart(p.Y.Interval(), q.Y.Interval()),
				})
			}
		}
	}
}

// apart reports whether two intervals are there and share nothing.
func apart(a, b *stats.Interval) bool { return a != nil && b != nil && !a.Overlaps(*b) }
