package exact

import (
	"fmt"
	"math"

	"edgebench/analysis/qpn/dist"
)

// GIMc is GI/M/c: any renewal arrivals with a Laplace transform, c exponential
// servers of rate mu, one first-come first-served queue. An arrival that has to
// wait finds a geometric number before it, of ratio sigma (Takács, Introduction
// to the Theory of Queues, 1962, chapter 2).
func GIMc(gap dist.Transformer, mu float64, c int) (Result, error) {
	return giMc(gap.Laplace, 1/gap.Mean(), mu, c)
}

func giMc(laplace func(float64) float64, lambda, mu float64, c int) (Result, error) {
	if err := check("GI/M/c", "lambda", lambda, "mu", mu, "c", c); err != nil {
		return Result{}, err
	}
	capacity := float64(c) * mu
	sigma, err := root(laplace, lambda, capacity)
	if err != nil {
		return Result{}, err
	}
	rate := capacity * (1 - sigma)
	p := waitProbability(laplace, mu, c, sigma)
	r := result(lambda, 1/mu+p/rate, p/rate)
	r.Tail = &Tail{P: p, Rate: rate}
	return r, nil
}

// root returns the sigma in (0, 1) with sigma = A*(capacity·(1 − sigma)). The
// difference of both sides is convex in sigma, positive at 0, zero at 1 and,
// below capacity, negative just below 1: bisection cannot miss the inner zero.
func root(laplace func(float64) float64, lambda, capacity float64) (float64, error) {
	if err := Load(lambda, capacity); err != nil {
		return 0, err
	}
	excess := func(gap float64) float64 { return laplace(capacity*gap) - (1 - gap) }
	// Bisection runs on gap = 1 − sigma, whose digits matter near capacity.
	low, high := 0.0, 1.0
	for step := 1.0; step > 1e-15; step /= 2 {
		if excess(step) < 0 {
			low = step
			break
		}
		high = step
	}
	if low == 0 {
		return 0, fmt.Errorf("GI/M/c: no root of sigma at arrivals %v, capacity %v", lambda, capacity)
	}
	for range 200 {
		mid := (low + high) / 2
		if mid == low || mid == high {
			break
		}
		if excess(mid) < 0 {
			low = mid
		} else {
			high = mid
		}
	}
	return 1 - low, nil
}

// waitProbability is the chance that an arrival finds all servers busy.
func waitProbability(laplace func(float64) float64, mu float64, c int, sigma float64) float64 {
	sum := 1 / (1 - sigma)
	cc, product, binomial := float64(c), 1.0, 1.0
	for i := 1; i <= c; i++ {
		j := float64(i)
		phi := laplace(j * mu)
		product *= phi / (1 - phi)
		binomial *= (cc - j + 1) / j
		sum += binomial / (product * (1 - phi)) * ratio(laplace, mu, cc, j, phi, sigma)
	}
	return 1 / (sum * (1 - sigma))
}

// ratio is (c(1 − phi_j) − j)/(c(1 − sigma) − j). Where the denominator is zero
// so is the numerator, and the limit is 1 + c·mu·A*′(j·mu).
func ratio(laplace func(float64) float64, mu, c, j, phi, sigma float64) float64 {
	if below := c*(1-sigma) - j; math.Abs(below) > 1e-6*c {
		return (c*(1-phi) - j) / below
	}
	h := 1e-5 * j * mu
	return 1 + c*mu*(laplace(j*mu+h)-laplace(j*mu-h))/(2*h)
}
