package coldstart

import (
	"math"
	"slices"
	"time"
)

// A Quantile is a value with the interval that holds the true quantile with at
// least 95 % confidence, whatever the distribution. An end is nil when the sample is
// too small to bound the quantile on that side.
type Quantile struct {
	Value     time.Duration
	Low, High *time.Duration
}

// A Latency is a sample of durations in short. Without any, it is zero.
type Latency struct {
	N        int
	Min, Max time.Duration
	P50, P99 Quantile
}

// latencyOf sorts its argument.
func latencyOf(sample []time.Duration) Latency {
	if len(sample) == 0 {
		return Latency{}
	}
	slices.Sort(sample)
	return Latency{N: len(sample), Min: sample[0], Max: sample[len(sample)-1],
		P50: quantile(sample, 0.5), P99: quantile(sample, 0.99)}
}

// quantile is by nearest rank. The number of values below the true quantile is
// binomial (n, p), so the values of rank low and high enclose it unless that number
// is below low or at least high (David and Nagaraja, Order Statistics, section 7.1).
func quantile(sorted []time.Duration, p float64) Quantile {
	n := len(sorted)
	q := Quantile{Value: sorted[max(int(math.Ceil(p*float64(n)))-1, 0)]}
	const tail = 0.025
	cumulative := 0.0 // P(number < rank)
	for rank := range n + 1 {
		if rank >= 1 && cumulative <= tail {
			q.Low = &sorted[rank-1]
		}
		if rank >= 1 && cumulative >= 1-tail {
			q.High = &sorted[rank-1]
			break
		}
		cumulative += binomial(n, rank, p)
	}
	return q
}

// binomial is P(k of n), in logarithms because the parts overflow.
func binomial(n, k int, p float64) float64 {
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x) + 1); return v }
	return math.Exp(lg(n) - lg(k) - lg(n-k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}
