package figures

import (
	"fmt"
	"math"

	"edgebench/analysis/rundir"
)

// lag shows how late requests were sent: the share later than x, and the p99 of
// every second.
func lag(runs []*Run) (*Picture, error) {
	tail := newPanel("Lag of the generator", "lag (ms)", "share above")
	over := newPanel("p99 of each second", "time (s)", "lag (ms)")
	logX(tail)
	logY(tail)
	logY(over)
	n := 0
	names := legendOf(runs)
	for _, r := range runs {
		if r.lag.N == 0 || r.lag.Max <= 0 {
			continue // simulated: sent at the planned instant
		}
		n++
		x, above := ccdf(quantileCurve(&r.lag))
		if err := addCurve(tail, r.style, curve{names.label(r), x, above, false}); err != nil {
			return nil, err
		}
		var at, p99 []float64
		for _, v := range r.seconds {
			at = append(at, float64(v.Second))
			if v.Sent == 0 || v.LagP99NS == rundir.Unknown {
				p99 = append(p99, math.NaN())
				continue
			}
			p99 = append(p99, millis(v.LagP99NS))
		}
		if err := addCurve(over, r.style, curve{"", at, p99, false}.thin(drawn)); err != nil {
			return nil, err
		}
	}
	if n == 0 {
		return nil, fmt.Errorf("%w: no lag", ErrNoData)
	}
	roundOut(&tail.X)
	over.X.Min = 0
	return pictureOf(tail, over), nil
}
