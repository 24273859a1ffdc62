package probe

import (
	"fmt"
	"math"
	"time"
)

// A Proposal is what to begin a measurement with, and why.
type Proposal struct {
	ThresholdNS  *int64  `json:"threshold_ns"` // of the service time, cold above it; null: none
	ThresholdWhy string  `json:"threshold_why"`
	RateRPS      float64 `json:"rate_rps"` // 0: none
	RateWhy      string  `json:"rate_why"`
}

// slowBy: an answer after idling is taken for a cold start when it takes this
// many times the slowest warm one.
const slowBy = 2

// Bounds of the rate that is proposed, in requests/s: what comes of a first look
// is no reason to send more.
const (
	leastRate = 1
	mostRate  = 20
)

func propose(r *Report) (p Proposal) {
	if r.Warm == nil {
		p.ThresholdWhy = "no warm answer was ok"
		p.RateWhy = p.ThresholdWhy
		return p
	}
	p.RateRPS = nice(0.5 / time.Duration(r.Warm.P50NS).Seconds())
	p.RateWhy = fmt.Sprintf("at most half of what one instance answers one after the other, at %v each, and from %d to %d/s", short(r.Warm.P50NS), leastRate, mostRate)
	if at := r.Split.ThresholdNS; at != nil {
		p.ThresholdNS = at
		p.ThresholdWhy = fmt.Sprintf("the valley between %d answers around %v and %d around %v", r.Split.Low.N, short(r.Split.Low.MedianNS), r.Split.High.N, short(r.Split.High.MedianNS))
		return p
	}
	least, slow, maybe := int64(math.MaxInt64), 0, 0
	for _, a := range r.Answers {
		if !a.ok() || a.warm() {
			continue
		}
		maybe++
		if a.Cold != nil || a.TotalNS > slowBy*r.Warm.MaxNS {
			slow++
			least = min(least, a.TotalNS)
		}
	}
	switch {
	case slow == 0:
		p.ThresholdWhy = fmt.Sprintf("none of %d answers that may have been cold took over %d times the slowest warm one: a longer --idle may show some", maybe, slowBy)
	case least <= r.Warm.MaxNS:
		p.ThresholdWhy = fmt.Sprintf("a warm answer took %v and a cold one %v: time does not tell them apart, the sign does", short(r.Warm.MaxNS), short(least))
	default:
		p.ThresholdNS = new(int64(math.Sqrt(float64(least) * float64(r.Warm.MaxNS))))
		p.ThresholdWhy = fmt.Sprintf("between the slowest warm answer, %v, and the fastest of %d cold ones, %v: so few are a guess, loadgen calibrate knows more after a run", short(r.Warm.MaxNS), slow, short(least))
	}
	return p
}

// nice rounds down to 1, 2 or 5 times a power of ten, within the bounds.
func nice(v float64) float64 {
	if v < leastRate {
		return leastRate
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{5, 2, 1} {
		if m*power <= v {
			return min(m*power, mostRate)
		}
	}
	return leastRate
}

// short has three digits.
func short(ns int64) time.Duration {
	d := time.Duration(ns)
	for unit := time.Nanosecond; unit < time.Minute; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit)
		}
	}
	return d
}
