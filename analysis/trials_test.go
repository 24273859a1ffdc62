package analysis

import (
	"math"
	"testing"
)

func TestOverTrials(t *testing.T) {
	t.Parallel()
	got := OverTrials([]float64{5, 7, 8, 12, 3})
	if got.N != 5 || got.Mean != 7 || got.Median != 7 || got.Min != 3 || got.Max != 12 {
		t.Errorf("%+v", got)
	}
	sd := math.Sqrt((4 + 0 + 1 + 25 + 16) / 4.0)
	half := 2.776445105 * sd / math.Sqrt(5) // t quantile of 4 degrees of freedom, from tables
	if math.Abs(*got.Low95-(7-half)) > 1e-6 || math.Abs(*got.High95-(7+half)) > 1e-6 {
		t.Errorf("interval %v..%v, want 7 ± %v", *got.Low95, *got.High95, half)
	}
	if one := OverTrials([]float64{4, 8}[:1]); one.Low95 != nil || one.Median != 4 {
		t.Errorf("one trial: %+v, want no interval", one)
	}
	if rare := OverTrials([]float64{0, 0, 0, 9}); *rare.Low95 != 0 || *rare.High95 < 9 {
		t.Errorf("counts: interval %v..%v, want it to begin at 0", *rare.Low95, *rare.High95)
	}
	if signed := OverTrials([]float64{-1, 1, 0}); *signed.Low95 >= 0 {
		t.Errorf("signed values: interval from %v", *signed.Low95)
	}
	if even := OverTrials([]float64{1, 2, 3, 10}); even.Median != 2.5 {
		t.Errorf("median %v, want 2.5", even.Median)
	}
}
