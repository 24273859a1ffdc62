package policy

import (
	"fmt"
	"time"

	"edgebench/target/arima"
)

var hybridSpec = Spec{
	Name: "hybrid-histogram",
	Help: "Shahrad et al.: a histogram of idle times says when to unload, prewarm and give up; ARIMA where they are too long for it",
	Cost: "O(bins) where an idle time ended; a fit where they are out of range",
	Miss: "spawn",
	Params: []Param{
		{Name: "bins", Help: "bins of the histogram", Default: 240, Min: 2, Max: 100000, Whole: true},
		{Name: "width", Help: "width of a bin, seconds", Default: 60, Min: 0.001, Max: 86400},
		{Name: "head", Help: "quantile of the idle times before which the workers are unloaded", Default: 0.05, Min: 0, Max: 0.5},
		{Name: "tail", Help: "quantile of the idle times until which they are kept", Default: 0.99, Min: 0.5, Max: 1},
		{Name: "margin", Help: "share by which both windows are widened", Default: 0.1, Min: 0, Max: 0.9},
		{Name: "cv", Help: "coefficient of variation of the bin counts below which the histogram tells nothing", Default: 2, Min: 0, Max: 1000},
		{Name: "least", Help: "idle times before the histogram is used", Default: 10, Min: 1, Max: 1e6, Whole: true},
		{Name: "outside", Help: "share of idle times out of range above which ARIMA is used", Default: 0.5, Min: 0, Max: 1},
		{Name: "prewarmed", Help: "workers loaded again at the prewarm instant", Default: 1, Min: 1, Max: 100000, Whole: true},
	},
	build: func(p values, workers int) Policy {
		h := &hybrid{
			idles: idleHistogram{width: seconds(p["width"]), bins: make([]int, int(p["bins"]))},
			head:  p["head"], tail: p["tail"], margin: p["margin"], cv: p["cv"],
			least: int(p["least"]), outside: p["outside"], workers: int(p["prewarmed"]),
			initial: workers, forecaster: inProcess{},
		}
		h.standard()
		return h
	},
}

// hybrid is the policy of Shahrad et al. (ATC'20) for a node that holds one
// application. After the node has become empty its workers are unloaded; at the
// prewarm instant some are loaded again, and kept until the keep instant. A
// prewarm instant of 0 keeps what there is. While there are requests, misses
// start workers and the keep instant is their idle timeout.
type hybrid struct {
	idles              idleHistogram
	head, tail, margin float64
	cv, outside        float64
	least, workers     int
	initial            int
	forecaster         Forecaster

	prewarm, keep time.Duration // since the node is empty
	series        []float64     // the last idle times in seconds
	asking        bool          // the windows come from a forecast
	last          Decision
}

// The ARIMA branch: the paper searches for an order, ours is fixed. The series
// is that of the idle times, so a fit comes hours apart.
var hybridOrder = arima.Order{P: 1, D: 1, Q: 1}

const (
	hybridSeries  = 100
	prewarmAt     = 0.85 // of the forecast idle time
	keptAfterward = 0.30
)

func (h *hybrid) Attach(f Forecaster) { h.forecaster = f }

func (h *hybrid) Initial() Decision { return Decision{Target: h.initial, IdleTimeout: h.keep} }

func (h *hybrid) Decide(o Observation) Decision {
	for _, idle := range o.Idles {
		h.idles.add(idle)
		if len(h.series) == hybridSeries {
			h.series = append(h.series[:0], h.series[1:]...)
		}
		h.series = append(h.series, idle.Seconds())
	}
	if len(o.Idles) > 0 {
		h.plan()
	}
	d := Decision{Rate: o.Rate(), IdleTimeout: max(h.keep, atOnce)}
	if o.Silence > 0 && h.prewarm > 0 {
		d.IdleTimeout = atOnce
		if o.Silence >= h.prewarm && o.Silence < h.keep {
			d.Target, d.Floor = h.workers, h.workers
		}
	}
	h.last = d
	return d
}

// plan sets the windows anew, because there are new idle times.
func (h *hybrid) plan() {
	seen := h.idles.inside + h.idles.outside
	h.asking = seen >= h.least && float64(h.idles.outside) > h.outside*float64(seen)
	switch {
	case h.asking:
		forecast, err := h.forecaster.Forecast(Question{Order: hybridOrder, Series: h.series, Ahead: 1})
		if err != ErrPending {
			h.expect(forecast, err)
		}
	case seen < h.least || h.idles.variation() < h.cv:
		h.standard()
	default:
		// A quantile inside a bin counts as the bin's lower edge for the head and as
		// its upper one for the tail.
		head := time.Duration(h.idles.quantile(h.head)) * h.idles.width
		tail := time.Duration(h.idles.quantile(h.tail)+1) * h.idles.width
		h.prewarm = time.Duration((1 - h.margin) * float64(head))
		h.keep = time.Duration((1 + h.margin) * float64(tail))
	}
}

// standard is what is done without knowledge: keep for the histogram's range.
func (h *hybrid) standard() { h.prewarm, h.keep = 0, h.idles.span() }

// expect sets the windows around a forecast idle time, the last one where it
// cannot be forecast.
func (h *hybrid) expect(forecast []float64, err error) {
	seconds := h.series[len(h.series)-1]
	if err == nil && forecast[0] > 0 && forecast[0] < 1e8 {
		seconds = forecast[0]
	}
	idle := seconds * float64(time.Second)
	h.prewarm = time.Duration(prewarmAt * idle)
	h.keep = time.Duration((prewarmAt + keptAfterward) * idle)
}

// Revise counts from the next tick on: the windows are minutes and more.
func (h *hybrid) Revise(forecast []float64, err error) Decision {
	if h.asking {
		h.expect(forecast, err)
	}
	return h.last
}

func (h *hybrid) Describe(time.Duration) []string {
	return []string{
		fmt.Sprintf("idle times in %d bins of %v; prewarm %d at %g·P%g, keep until %g·P%g", len(h.idles.bins), h.idles.width,
			h.workers, 1-h.margin, 100*h.head, 1+h.margin, 100*h.tail),
		fmt.Sprintf("below %d idle times or a variation of %g: keep %v; above %g out of range: ARIMA%v, prewarm at %g, keep for %g of its forecast",
			h.least, h.cv, h.idles.span(), h.outside, hybridOrder, prewarmAt, keptAfterward),
	}
}
