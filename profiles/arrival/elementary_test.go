package arrival

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestElementaryFunctionsAgreeWithTheLibrary(t *testing.T) {
	t.Parallel()
	src := rand.New(Random(1, "elementary"))
	cosine := func(x float64) float64 { _, c := turn(x); return c }
	sine := func(x float64) float64 { s, _ := turn(x); return s }
	near := func(what string, x, got, want, tolerance float64) {
		if d := math.Abs(got - want); !(d <= tolerance) {
			t.Errorf("%s %v = %v, want %v", what, x, got, want)
		}
	}
	edges := []float64{0, 12.5, 25, 37.5, 50, 75, 100, -100, math.Ln2 / 2, 699, -699}
	for i := range 200_000 {
		x := 1400*src.Float64() - 700
		if i < len(edges) {
			x = edges[i]
		}
		near("exponent", x, exponent(x), math.Exp(x), 1e-15*math.Exp(x))
		turns := x / 100
		angle := 2 * math.Pi * (turns - math.Floor(turns))
		near("cosine", turns, cosine(turns), math.Cos(angle), 1e-15)
		near("sine", turns, sine(turns), math.Sin(angle), 1e-15)
		small := math.Exp(min(x, 0)) / 16
		near("small sine", small, sine(small), math.Sin(2*math.Pi*small), 4e-15*small)
		g := math.Exp(min(x, 700) / 70) // 4e-5 … 2e4
		want, _ := math.Lgamma(g)
		near("log gamma", g, logGamma(g), want, 4e-14*max(1, math.Abs(want)))
	}
	if exponent(-1e9) != exponent(-700) || exponent(1e9) != exponent(700) {
		t.Error("the exponent leaves its range")
	}
}
