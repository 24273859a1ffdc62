package policy

import (
	"errors"
	"fmt"
	"math"
	"time"

	"edgebench/target/arima"
)

var arimaSpec = Spec{
	Name: "arima",
	Help: "ARIMA forecast of the rate, fitted anew each tick; in a live node by a process of its own",
	Cost: "a fit a tick, about 15 ms at 100 windows",
	Params: []Param{
		{Name: "p", Help: "autoregressive terms", Default: 2, Min: 0, Max: arima.MaxTerms, Whole: true},
		{Name: "d", Help: "differences", Default: 1, Min: 0, Max: 2, Whole: true},
		{Name: "q", Help: "moving-average terms", Default: 2, Min: 0, Max: arima.MaxTerms, Whole: true},
		{Name: "windows", Help: "last windows fitted", Default: 100, Min: 12, Max: 1000, Whole: true},
		{Name: "least", Help: "windows before the first fit; the last one counts until then", Default: 12, Min: 1, Max: 1000, Whole: true},
		{Name: "lead", Help: "ticks to look ahead; the largest forecast on the way counts", Default: 1, Min: 1, Max: 100, Whole: true},
		{Name: "smoothing", Help: "weight of the new target beside the one before, 1 for no smoothing", Default: 0.5, Min: 0.001, Max: 1},
		{Name: "headroom", Help: "share added to the forecast", Default: 0, Min: 0, Max: 10},
	},
	build: func(p values, workers int) Policy {
		order := arima.Order{P: int(p["p"]), D: int(p["d"]), Q: int(p["q"])}
		initial := max(workers, 1)
		return &arimaPolicy{
			order: order, windows: int(p["windows"]), lead: int(p["lead"]),
			least:     max(int(p["least"]), order.Least()),
			smoothing: p["smoothing"], headroom: p["headroom"],
			forecaster: inProcess{}, initial: initial, smooth: float64(initial),
			last: Decision{Target: initial, Floor: initial},
		}
	},
}

// Statsmodels is the fitter of arima-statsmodels.
const Statsmodels = "statsmodels"

var statsmodelsSpec = Spec{
	Name:   "arima-statsmodels",
	Help:   "arima, fitted by Python's statsmodels for the study's own cost (on Debian python3-statsmodels; a simulated node fits by ours)",
	Cost:   "a fit a tick, about 150 ms at 100 windows in a process of its own",
	Fitter: Statsmodels,
	Params: arimaSpec.Params,
	build:  arimaSpec.build,
}

// arimaPolicy sizes the pool for the forecast of the next windows. Its target
// follows the wanted one by half a step a tick, as in the study: a forecast that
// jumps does not make the pool jump, and a ramp is followed late.
//
// A series that cannot be fitted, because it is short or all but constant, is
// forecast by its last value. While an answer is pending the target stands.
type arimaPolicy struct {
	order                arima.Order
	windows, least, lead int
	smoothing, headroom  float64
	forecaster           Forecaster
	initial              int

	series  []float64     // rates of the last windows
	service time.Duration // T of the last observation
	smooth  float64       // workers, before rounding
	last    Decision
}

func (a *arimaPolicy) Attach(f Forecaster) { a.forecaster = f }

func (a *arimaPolicy) Initial() Decision { return Decision{Target: a.initial, Floor: a.initial} }

func (a *arimaPolicy) Decide(o Observation) Decision {
	if len(a.series) == a.windows {
		copy(a.series, a.series[1:])
		a.series = a.series[:a.windows-1]
	}
	a.series = append(a.series, o.Rate())
	a.service = o.ServiceTime
	a.last.Rate = o.Rate()
	if len(a.series) < a.least {
		return a.Revise(nil, errShort)
	}
	forecast, err := a.forecaster.Forecast(Question{Order: a.order, Series: a.series, Ahead: a.lead})
	if err == ErrPending {
		return a.last
	}
	return a.Revise(forecast, err)
}

var errShort = errors.New("too few windows for a fit")

func (a *arimaPolicy) Revise(forecast []float64, err error) Decision {
	if len(a.series) == 0 {
		return a.last // nothing has been asked
	}
	rate := a.last.Rate
	if err == nil {
		rate = highest(forecast)
	}
	wanted := float64(workersFor(rate*(1+a.headroom), a.service))
	a.smooth += a.smoothing * (wanted - a.smooth)
	n := bounded(math.Round(a.smooth))
	a.last.Target, a.last.Floor, a.last.Baseline = n, n, rate
	return a.last
}

// highest is the largest value that is a rate: neither negative nor infinite.
func highest(forecast []float64) float64 {
	most := 0.0
	for _, x := range forecast {
		if x > most && !math.IsInf(x, 1) {
			most = x
		}
	}
	return most
}

func (a *arimaPolicy) Describe(tick time.Duration) []string {
	return []string{
		fmt.Sprintf("N = ceil(lambda·T) + 1, lambda = ARIMA%v forecast up to %v ahead, fitted each tick to the last %v (from %v on)",
			a.order, time.Duration(a.lead)*tick, time.Duration(a.windows)*tick, time.Duration(a.least)*tick),
		fmt.Sprintf("target smoothed with weight %g", a.smoothing),
	}
}
