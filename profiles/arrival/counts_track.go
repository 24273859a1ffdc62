package arrival

import (
	"math"
	"math/rand/v2"
	"time"
)

// A seriesTrack yields the arrivals of one function of a trace.
type seriesTrack struct {
	counts  *Counts
	columns []Column // to come
	places  *rand.PCG
	lots    *rand.PCG // of scaling: apart, so that another spacing keeps the counts
	circle  circle
	edge    time.Duration // of the current column
	last    time.Duration
	width   float64
}

func newSeriesTrack(c *Counts, s *Series, seed uint64) *seriesTrack {
	return &seriesTrack{
		counts: c, columns: s.Columns, width: c.width(),
		places: Random(seed, "arrivals of "+s.Name), lots: Random(seed, "scaling of "+s.Name),
	}
}

// next implements track.
func (t *seriesTrack) next() (time.Duration, bool) {
	for t.circle.left == 0 {
		if len(t.columns) == 0 {
			return 0, false
		}
		col := t.columns[0]
		t.columns = t.columns[1:]
		if n := scaled(int(col.Count), t.counts.Scale, t.lots); n > 0 {
			t.edge = t.counts.edge(int(col.Index))
			t.circle.start(t.counts.Spacing, n, t.width, !t.counts.Aligned, t.places)
		}
	}
	at := t.edge + time.Duration(min(t.circle.take(), t.width-1))
	t.last = max(t.last, at) // the sum of the gaps may be rounded beyond the edge
	return t.last, true
}

// scaled is n times scale: kept one by one below 1 (the gaps between the kept are
// geometric), else with the rest rounded by lot.
func scaled(n int, scale float64, lots *rand.PCG) int {
	switch {
	case scale == 1:
		return n
	case scale > 1:
		whole, rest := math.Modf(float64(float64(n) * scale))
		if rest > 0 && uniform(lots) <= rest {
			whole++
		}
		return int(whole)
	}
	kept := 0
	missed := logarithm(1 - scale) // of passing over one; scale ≥ 2⁻⁵³ or it is 0
	for at := 0.0; missed < 0; kept++ {
		if at += 1 + math.Floor(logarithm(uniform(lots))/missed); at > float64(n) {
			break
		}
	}
	return kept
}
