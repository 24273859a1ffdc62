package figures

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"

	"edgebench/analysis/rundir"
)

// latency shows response times as CDF and, on log axes, as CCDF: what share was
// slower. Both end at the exact maximum.
func latency(runs []*Run) (*Picture, error) {
	cdf := newPanel("Response time of ok", "", "share at or below")
	tail := newPanel("", "response time (ms)", "share above")
	logX(cdf)
	logX(tail)
	logY(tail)
	n := 0
	names := legendOf(runs)
	for _, r := range runs {
		if r.response.N == 0 {
			continue
		}
		n++
		values, below := quantileCurve(&r.response)
		if err := addCurve(cdf, r.style, curve{names.label(r), values, below, false}); err != nil {
			return nil, err
		}
		x, above := ccdf(values, below)
		if err := addCurve(tail, r.style, curve{"", x, above, false}); err != nil {
			return nil, err
		}
	}
	if n == 0 {
		return nil, fmt.Errorf("%w: no response times", ErrNoData)
	}
	cdf.Y.Min, cdf.Y.Max = 0, 1
	for _, p := range []*panel{cdf, tail} {
		roundOut(&p.X)
	}
	return pictureOf(cdf, tail), nil
}

// quantileCurve samples the distribution so that every decade of the tail has
// the same number of points. Values are milliseconds above 0.
func quantileCurve(d *rundir.Distribution) (values, below []float64) {
	const perDecade = 60
	decades := math.Log10(float64(max(d.N, 10)))
	for k := 0; k <= int(decades*perDecade); k++ {
		above := math.Pow(10, -float64(k)/perDecade)
		values, below = append(values, millis(d.Quantile(1-above))), append(below, 1-above)
	}
	return append(values, millis(d.Max)), append(below, 1)
}

// ccdf leaves out the last point, whose share above is 0 and has no logarithm.
func ccdf(values, below []float64) (x, above []float64) {
	for i, b := range below {
		if b < 1 {
			x, above = append(x, values[i]), append(above, 1-b)
		}
	}
	return x, above
}

// millis is at least a nanosecond: a log axis has no zero.
func millis(ns int64) float64 { return float64(max(ns, 1)) / 1e6 }

func logX(p *panel) { p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks{} }
func logY(p *panel) { p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{} }
