package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Resamples is how often Bootstrap draws: the ends of a 95 % interval are then
// the 250th value from either side, which repeats to about 1 % of its width.
const Resamples = 10_000

// MinBootstrap is the least number of values worth resampling: below it the
// few different samples there are make the interval too short (Efron and
// Tibshirani, An Introduction to the Bootstrap, 1993, ch. 14).
const MinBootstrap = 4

// Bootstrap is the bias-corrected and accelerated interval of the mean (Efron
// 1987): the percentile interval shifted for the skewness of the resampled
// means. Equal values and rng states give equal intervals. False below
// MinBootstrap values.
func Bootstrap(values []float64, level float64, rng *rand.Rand) (Interval, bool) {
	n := len(values)
	if n < MinBootstrap {
		return Interval{}, false
	}
	means := resampledMeans(values, rng)
	mean := Mean(values)
	below := 0.0
	for _, m := range means {
		switch {
		case m < mean:
			below++
		case m == mean: // a mean hit exactly is half below: else few distinct values shift the interval
			below += 0.5
		}
	}
	if means[0] == means[len(means)-1] {
		return Interval{means[0], means[0], level}, true
	}
	share := min(max(below/float64(len(means)), 1/float64(len(means))), 1-1/float64(len(means)))
	bias, acceleration := distuv.UnitNormal.Quantile(share), skew(values)
	end := func(p float64) float64 {
		z := bias + distuv.UnitNormal.Quantile(p)
		return percentile(means, distuv.UnitNormal.CDF(bias+z/(1-acceleration*z)))
	}
	return Interval{end((1 - level) / 2), end((1 + level) / 2), level}, true
}

// resampledMeans are sorted.
func resampledMeans(values []float64, rng *rand.Rand) []float64 {
	means := make([]float64, Resamples)
	for i := range means {
		sum := 0.0
		for range values {
			sum += values[rng.IntN(len(values))]
		}
		means[i] = sum / float64(len(values))
	}
	slices.Sort(means)
	return means
}

// skew is the acceleration of a mean: a sixth of the skewness of its jackknife
// values, which for a mean is Σd³ / 6(Σd²)^1.5 with d = value − mean.
func skew(values []float64) float64 {
	mean, squares, cubes := Mean(values), 0.0, 0.0
	for _, v := range values {
		d := v - mean
		squares += d * d
		cubes += d * d * d
	}
	if squares == 0 {
		return 0
	}
	return cubes / (6 * math.Pow(squares, 1.5))
}

// percentile of sorted values by linear interpolation.
func percentile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	low := min(int(at), len(sorted)-2)
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}
