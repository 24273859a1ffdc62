package stats

import (
	"math"
)

// An Effect is Cliff's delta: how often a value of b is larger than one of a,
// less how often it is smaller. −1..1, 0 for no tendency.
type Effect struct {
	Delta    float64   `json:"delta"`
	Interval *Interval `json:"interval"` // null below two values on a side
}

// Cliff measures b against a (Cliff 1993). The interval is the asymmetric one
// of Feng and Cliff (2004) with the unbiased variance and Student's t of
// n_a + n_b − 2 degrees of freedom; where the samples do not overlap at all
// the variance is 0 and the near end follows from the smaller sample:
// (n − t²)/(n + t²). False without values on a side.
func Cliff(a, b []float64, level float64) (Effect, bool) {
	na, nb := len(a), len(b)
	if na == 0 || nb == 0 {
		return Effect{}, false
	}
	rows, columns := make([]float64, na), make([]float64, nb) // mean dominance of each value
	delta := 0.0
	for i, x := range a {
		for j, y := range b {
			d := dominance(x, y)
			rows[i] += d / float64(nb)
			columns[j] += d / float64(na)
			delta += d
		}
	}
	delta /= float64(na * nb)
	e := Effect{Delta: delta}
	if na < 2 || nb < 2 {
		return e, true
	}
	t := studentQuantile(level, float64(na+nb-2))
	if math.Abs(delta) == 1 {
		n := float64(min(na, nb))
		near := (n - t*t) / (n + t*t)
		e.Interval = &Interval{min(near, 1), 1, level}
		if delta < 0 {
			e.Interval = &Interval{-1, max(-near, -1), level}
		}
		return e, true
	}
	s2 := cliffVariance(a, b, rows, columns, delta)
	center, scale := delta-delta*delta*delta, 1-delta*delta+t*t*s2
	spread := t * math.Sqrt(s2) * math.Sqrt((1-delta*delta)*(1-delta*delta)+t*t*s2)
	e.Interval = &Interval{max((center-spread)/scale, -1), min((center+spread)/scale, 1), level}
	return e, true
}

// cliffVariance is Cliff's unbiased estimate, never below (1 − δ²)/(n_a n_b − 1).
func cliffVariance(a, b, rows, columns []float64, delta float64) float64 {
	na, nb := float64(len(a)), float64(len(b))
	var byRow, byColumn, all float64
	for _, r := range rows {
		byRow += (r - delta) * (r - delta)
	}
	for _, c := range columns {
		byColumn += (c - delta) * (c - delta)
	}
	for _, x := range a {
		for _, y := range b {
			d := dominance(x, y) - delta
			all += d * d
		}
	}
	s2 := (nb*nb*byRow + na*na*byColumn - all) / (na * nb * (na - 1) * (nb - 1))
	return max(s2, (1-delta*delta)/(na*nb-1))
}

func dominance(x, y float64) float64 {
	switch {
	case y > x:
		return 1
	case y < x:
		return -1
	}
	return 0
}
