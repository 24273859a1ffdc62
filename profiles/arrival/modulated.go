package arrival

import (
	"math"
	"math/rand/v2"
	"time"
)

// modulated is implemented by laws that depend on real time too. count is the
// expected number of arrivals from the start of the schedule to an instant, +Inf
// from its end on; it is called with instants that never decrease.
type modulated interface {
	modulate(src *rand.PCG, count func(time.Duration) float64) Gaps
}

// gapsAt starts the law's gaps along a share of the schedule's rate.
func (s *Schedule) gapsAt(src *rand.PCG, share float64) Gaps {
	if m, ok := s.law.(modulated); ok {
		c := cursor{schedule: s}
		return m.modulate(src, func(t time.Duration) float64 { return float64(share * c.count(t)) })
	}
	return s.law.Gaps(src)
}

// A cursor walks along the phases of a schedule.
type cursor struct {
	schedule *Schedule
	phase    int
}

func (c *cursor) count(t time.Duration) float64 {
	phases := c.schedule.phases
	for c.phase < len(phases) && t >= phases[c.phase].Start+phases[c.phase].Length {
		c.phase++
	}
	if c.phase == len(phases) {
		return math.Inf(1)
	}
	p := &phases[c.phase]
	from, to := c.schedule.cumulative[c.phase], c.schedule.cumulative[c.phase+1]
	return min(from+p.Curve.Count(t-p.Start), to)
}
