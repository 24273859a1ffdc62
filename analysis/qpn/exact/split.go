package exact

import (
	"math"

	"edgebench/analysis/qpn/dist"
)

// RoundRobin sends every n-th arrival to the same one of n single exponential
// servers of rate mu, each with its own queue: each sees a renewal process whose
// gap is the sum of n gaps, so A*(s)ⁿ in GI/M/1.
func RoundRobin(gap dist.Transformer, mu float64, n int) (Result, error) {
	if err := check("round robin", "n", n); err != nil {
		return Result{}, err
	}
	laplace := func(s float64) float64 { return math.Pow(gap.Laplace(s), float64(n)) }
	one, err := giMc(laplace, 1/gap.Mean()/float64(n), mu, 1)
	return scaled(one, float64(n)), fleetOverload(err, float64(n))
}

// RandomSplit sends each arrival to instance i with probability weights[i] /
// sum, each a single exponential server of rate mu with its own queue: each sees
// a geometric number of gaps, p·A*(s)/(1 − (1−p)·A*(s)) in GI/M/1.
func RandomSplit(gap dist.Transformer, mu float64, weights []float64) (Result, error) {
	total := 0.0
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return Result{}, check("random split", "weight", w, "of instance", i+1)
		}
		total += w
	}
	if err := check("random split", "sum of weights", total); err != nil {
		return Result{}, err
	}
	lambda := 1 / gap.Mean()
	response, wait := 0.0, 0.0
	for _, w := range weights {
		p := w / total
		if p == 0 {
			continue
		}
		laplace := func(s float64) float64 { a := gap.Laplace(s); return p * a / (1 - (1-p)*a) }
		one, err := giMc(laplace, lambda*p, mu, 1)
		if err != nil {
			return Result{}, fleetOverload(err, 1/p)
		}
		response += p * one.R
		wait += p * one.Wait
	}
	return result(lambda, response, wait), nil
}

// scaled turns one of n equal, equally loaded queues into all of them.
func scaled(r Result, n float64) Result {
	all := result(r.X*n, r.R, r.Wait)
	all.Tail = r.Tail
	return all
}

// fleetOverload restates the overload of one instance, which gets a share
// 1/factor of the arrivals, as that of all.
func fleetOverload(err error, factor float64) error {
	if o, ok := err.(*Overload); ok {
		return &Overload{Lambda: o.Lambda * factor, Capacity: o.Capacity * factor}
	}
	return err
}
