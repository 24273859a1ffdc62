package policy

import (
	"fmt"
	"time"
)

var holtWintersSpec = Spec{
	Name: "holt-winters",
	Help: "Holt–Winters: level, trend and an additive season (season 0: Holt's trend alone)",
	Cost: "O(1)",
	Params: []Param{
		{Name: "alpha", Help: "weight of the last window in the level", Default: 0.4, Min: 0.001, Max: 1},
		{Name: "beta", Help: "weight of the last step in the trend", Default: 0.2, Min: 0, Max: 1},
		{Name: "gamma", Help: "weight of the last season in the seasonal terms", Default: 0.3, Min: 0, Max: 1},
		{Name: "season", Help: "length of the season, ticks; 0 for none", Default: 0, Min: 0, Max: 100000, Whole: true},
		{Name: "lead", Help: "ticks to look ahead", Default: 1, Min: 1, Max: 100, Whole: true},
	},
	build: func(p values, workers int) Policy {
		return &holtWinters{
			alpha: p["alpha"], beta: p["beta"], gamma: p["gamma"], lead: int(p["lead"]),
			season: make([]float64, max(1, int(p["season"]))), seasonal: p["season"] > 0, initial: max(workers, 1),
		}
	},
}

// holtWinters is additive exponential smoothing (Winters 1960). The seasonal
// terms start at 0 and are learned; a forecast below 0 counts as silence.
type holtWinters struct {
	alpha, beta, gamma float64
	lead               int
	season             []float64
	seasonal           bool
	initial            int

	level, trend float64
	at           int // place in the season of the window to come
	started      bool
}

func (h *holtWinters) Initial() Decision { return Decision{Target: h.initial, Floor: h.initial} }

func (h *holtWinters) Decide(o Observation) Decision {
	x := o.Rate()
	if !h.started {
		h.level, h.started = x, true
	}
	term := h.season[h.at]
	before := h.level
	h.level = h.alpha*(x-term) + (1-h.alpha)*(h.level+h.trend)
	h.trend = h.beta*(h.level-before) + (1-h.beta)*h.trend
	if h.seasonal {
		h.season[h.at] = h.gamma*(x-h.level) + (1-h.gamma)*term
	}
	h.at = (h.at + 1) % len(h.season)
	forecast := max(0, h.level+float64(h.lead)*h.trend+h.season[(h.at+h.lead-1)%len(h.season)])
	n := workersFor(forecast, o.ServiceTime)
	return Decision{Target: n, Floor: n, Rate: x, Baseline: forecast}
}

func (h *holtWinters) Describe(tick time.Duration) []string {
	season := "no season"
	if h.seasonal {
		season = fmt.Sprintf("season %v", time.Duration(len(h.season))*tick)
	}
	return []string{fmt.Sprintf("N = ceil(lambda·T) + 1, lambda forecast %v ahead: alpha %g, beta %g, gamma %g, %s", time.Duration(h.lead)*tick, h.alpha, h.beta, h.gamma, season)}
}
