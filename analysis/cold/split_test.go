package cold

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// barsOf makes bars one value wide.
func barsOf(values []float64) []Bar {
	counts := map[int64]uint64{}
	for _, v := range values {
		counts[int64(v)]++
	}
	var bars []Bar
	for v, n := range counts {
		bars = append(bars, Bar{v, v, n})
	}
	slices.SortFunc(bars, func(a, b Bar) int { return int(a.Low - b.Low) })
	return bars
}

// crowd draws n values around a median, log-normal with the given spread.
func crowd(rng *rand.Rand, n int, median time.Duration, spread float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(median) * math.Exp(spread*rng.NormFloat64())
	}
	return out
}

func TestFind(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	rng := rand.New(rand.NewPCG(3, 4))
	uniform := make([]float64, 3000)
	for i := range uniform {
		uniform[i] = 500e6 + 300e6*rng.Float64()
	}
	for _, c := range []struct {
		name      string
		values    []float64
		low, high time.Duration // of the threshold; none for 0
		why       string
	}{
		{"equal crowds", slices.Concat(crowd(rng, 500, 100*ms, 0.1), crowd(rng, 500, 400*ms, 0.1)), 150 * ms, 270 * ms, ""},
		{"12 cold of 600", slices.Concat(crowd(rng, 588, 502*ms, 0.01), crowd(rng, 12, 800*ms, 0.02)), 540 * ms, 760 * ms, ""},
		{"3 cold of 3000, wide warm", slices.Concat(crowd(rng, 2997, 50*ms, 0.2), crowd(rng, 3, 2000*ms, 0.05)), 120 * ms, 1700 * ms, ""},
		{"mostly cold", slices.Concat(crowd(rng, 20, 50*ms, 0.1), crowd(rng, 900, 900*ms, 0.1)), 80 * ms, 650 * ms, ""},
		{"one crowd", crowd(rng, 2000, 500*ms, 0.05), 0, 0, "one crowd: no valley between fast and slow"},
		{"one wide crowd", crowd(rng, 2000, 500*ms, 0.5), 0, 0, ""},
		{"a ramp of waits", uniform, 0, 0, "one crowd: no valley between fast and slow"},
		{"two speeds", slices.Concat(crowd(rng, 500, 500*ms, 0.005), crowd(rng, 500, 550*ms, 0.005)), 0, 0, ""},
		{"one straggler", append(crowd(rng, 500, 500*ms, 0.01), 3e9), 0, 0, ""},
		{"alike", slices.Repeat([]float64{5e8}, 40), 0, 0, "all values are alike"},
		{"one", []float64{5e8}, 0, 0, "too few values"},
		{"none", nil, 0, 0, "too few values"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := Find(barsOf(c.values))
			if c.low == 0 {
				if s.ThresholdNS != nil || s.Why == "" || c.why != "" && s.Why != c.why {
					t.Errorf("%+v, want no threshold: %s", s, c.why)
				}
				return
			}
			if s.ThresholdNS == nil {
				t.Fatalf("no threshold: %s, %+v", s.Why, s)
			}
			if at := time.Duration(*s.ThresholdNS); at < c.low || at > c.high {
				t.Errorf("threshold %v, want %v to %v", at, c.low, c.high)
			}
			if s.AshmanD < MinD || s.Valley > MaxValley || s.Low.N+s.High.N != s.N {
				t.Errorf("%+v", s)
			}
		})
	}
}

// One crowd is one crowd, whatever its shape: of many samples without cold
// starts hardly any gets a threshold.
func TestFindsNothingInOneCrowd(t *testing.T) {
	t.Parallel()
	for name, draw := range map[string]func(*rand.Rand) float64{
		"log-normal":  func(rng *rand.Rand) float64 { return 5e7 * math.Exp(0.3*rng.NormFloat64()) },
		"wide":        func(rng *rand.Rand) float64 { return 5e7 * math.Exp(0.8*rng.NormFloat64()) },
		"exponential": func(rng *rand.Rand) float64 { return 1e6 + 5e7*rng.ExpFloat64() },
		"shifted":     func(rng *rand.Rand) float64 { return 5e7 + 1e7*rng.ExpFloat64() },
		"uniform":     func(rng *rand.Rand) float64 { return 5e7 + 5e7*rng.Float64() },
	} {
		found, rng := 0, rand.New(rand.NewPCG(21, 22))
		const rounds = 100
		for range rounds {
			values := make([]float64, 400)
			for i := range values {
				values[i] = draw(rng)
			}
			if Find(barsOf(values)).ThresholdNS != nil {
				found++
			}
		}
		if found > rounds/10 {
			t.Errorf("%s: %d of %d samples got a threshold", name, found, rounds)
		} else {
			t.Logf("%s: %d of %d", name, found, rounds)
		}
	}
}

func TestMeasures(t *testing.T) {
	t.Parallel()
	// Two points of equal weight have a coefficient of 1 in the limit.
	two := Find([]Bar{{100, 100, 5000}, {1000, 1000, 5000}})
	if math.Abs(two.Coefficient-1) > 1e-3 || two.AshmanD != maxD || two.Valley != 0 || two.Explained < 0.999 {
		t.Errorf("two points: %+v", two)
	}
	// On the logarithm, equal steps are uniform: 5/9.
	var steps []Bar
	for i := range 2000 {
		v := int64(1e6 * math.Exp(float64(i)/1000))
		steps = append(steps, Bar{v, v, 5})
	}
	if got := Find(steps).Coefficient; math.Abs(got-5.0/9) > 1e-3 {
		t.Errorf("uniform: %v, want 5/9", got)
	}
	// √2 · ln 4 / √(2 · 0.1²) for crowds a factor 4 apart with spread 0.1.
	rng := rand.New(rand.NewPCG(8, 8))
	apart := Find(barsOf(slices.Concat(crowd(rng, 20_000, 100*time.Millisecond, 0.1), crowd(rng, 20_000, 400*time.Millisecond, 0.1))))
	if want := math.Log(4) / 0.1; math.Abs(apart.AshmanD-want) > 0.2 {
		t.Errorf("D %v, want %v", apart.AshmanD, want)
	}
}

// Case C55: warm service is 502 ms and the threshold 500 ms.
func TestAThresholdInTheWrongPlace(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 5))
	warm, cold := barsOf(crowd(rng, 588, 502*time.Millisecond, 0.002)), barsOf(crowd(rng, 12, 900*time.Millisecond, 0.03))
	wrong := Judge(cold, warm, 500e6)
	if *wrong.FalseRate < 0.9 || *wrong.MissRate != 0 {
		t.Errorf("%+v", wrong)
	}
	s := Find(append(slices.Clone(warm), cold...))
	if s.ThresholdNS == nil {
		t.Fatalf("%+v", s)
	}
	right := Judge(cold, warm, *s.ThresholdNS)
	best, ok := Best(cold, warm)
	if *right.Precision != 1 || *right.Recall != 1 || !ok || *best.FalseRate+*best.MissRate != 0 {
		t.Errorf("right %+v, best %+v", right, best)
	}
}

func TestJudgeOfNothing(t *testing.T) {
	t.Parallel()
	c := Judge(nil, nil, 5)
	if c.Precision != nil || c.Recall != nil || c.FalseRate != nil || c.MissRate != nil {
		t.Errorf("%+v, want null", c)
	}
	if _, ok := Best(nil, []Bar{{1, 1, 1}}); ok {
		t.Error("a best threshold without cold starts")
	}
	// Cold ones that are faster: the best a threshold can do is to call all cold.
	if b, ok := Best([]Bar{{1, 1, 3}}, []Bar{{9, 9, 3}}); !ok || *b.FalseRate+*b.MissRate != 1 {
		t.Errorf("%+v", b)
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ low, high, want int64 }{
		{510e6, 795e6, 600e6}, {698_100_000, 698_900_000, 698_500_000}, {3, 3, 3}, {0, 0, 0},
	} {
		if got := plain(c.low, c.high, math.Sqrt(float64(c.low)*float64(c.high))); got != c.want {
			t.Errorf("%d to %d: %d, want %d", c.low, c.high, got, c.want)
		}
	}
}
