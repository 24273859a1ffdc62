package policy

import (
	"fmt"
	"time"
)

var seasonalSpec = Spec{
	Name: "seasonal-naive",
	Help: "the rate of one season ago, or the last window while there is no season yet",
	Cost: "O(1)",
	Params: []Param{
		{Name: "season", Help: "length of the season, ticks", Default: 42, Min: 1, Max: 100000, Whole: true},
		{Name: "lead", Help: "ticks to look ahead; the largest rate on the way counts", Default: 2, Min: 1, Max: 100, Whole: true},
		{Name: "headroom", Help: "share added to the forecast", Default: 0, Min: 0, Max: 10},
	},
	build: func(p values, workers int) Policy {
		return &seasonal{ring: make([]float64, int(p["season"])), lead: int(p["lead"]), headroom: p["headroom"], initial: max(workers, 1)}
	},
}

// seasonal is the forecaster every other one has to beat. Its memory is one
// season, its time a tick constant.
type seasonal struct {
	ring     []float64 // rates of the last season; next is overwritten first
	next     int
	seen     int
	lead     int
	headroom float64
	initial  int
}

func (s *seasonal) Initial() Decision { return Decision{Target: s.initial, Floor: s.initial} }

func (s *seasonal) Decide(o Observation) Decision {
	x := o.Rate()
	s.ring[s.next] = x
	s.next = (s.next + 1) % len(s.ring)
	s.seen = min(s.seen+1, len(s.ring))
	forecast := x
	if s.seen == len(s.ring) {
		forecast = 0
		for ahead := range min(s.lead, len(s.ring)) {
			forecast = max(forecast, s.ring[(s.next+ahead)%len(s.ring)])
		}
	}
	n := workersFor(forecast*(1+s.headroom), o.ServiceTime)
	return Decision{Target: n, Floor: n, Rate: x, Baseline: forecast}
}

func (s *seasonal) Describe(tick time.Duration) []string {
	return []string{fmt.Sprintf("N = ceil(lambda·T) + 1, lambda = the rate %v ago, the largest of the next %d ticks", time.Duration(len(s.ring))*tick, s.lead)}
}
