package arrival

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// Every family of the registry, with parameters: a new one is tested once it is here.
var lawParams = map[string]Values{
	"even":      nil,
	"poisson":   nil,
	"h2":        {"p": {0.2}, "scv": {2.125}},
	"lognormal": {"scv": {0.5}},
	"mmpp":      {"rates": {1, 20, 0}, "dwell": {0.5, 0.2, 0.3}},
	"weibull":   {"scv": {2.125}},
}

func TestEveryLawKeepsItsContract(t *testing.T) {
	t.Parallel()
	for _, f := range Families() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			params, ok := lawParams[f.Name]
			if !ok {
				t.Fatal("add parameters of this law to lawParams")
			}
			law, err := NewLaw(f.Name, params)
			if err != nil {
				t.Fatal(err)
			}
			if f.Help == "" || !strings.HasPrefix(law.String(), f.Name) {
				t.Errorf("help %q, text %q", f.Help, law)
			}
			mean, scv := moments(law.Gaps(Random(7, "test")), 1_000_000)
			if math.Abs(mean-1) > 0.005 {
				t.Errorf("mean gap %v, want 1", mean)
			}
			if math.Abs(scv-law.SCV()) > 0.02*law.SCV()+1e-9 {
				t.Errorf("measured SCV %v, stated %v", scv, law.SCV())
			}
		})
	}
}

// Not parallel: allocations are counted for the whole process.
func TestNoLawAllocates(t *testing.T) {
	for name, params := range lawParams {
		law, err := NewLaw(name, params)
		if err != nil {
			t.Fatal(err)
		}
		gaps := law.Gaps(Random(7, "test"))
		if n := testing.AllocsPerRun(1000, func() { gaps.Next() }); n != 0 {
			t.Errorf("%s: Next allocates %v times", name, n)
		}
	}
}

// moments of n gaps after the first, which the even law has at 0.
func moments(g Gaps, n int) (mean, scv float64) {
	g.Next()
	var sum, squares float64
	for range n {
		x := g.Next()
		sum += x
		squares += x * x
	}
	mean = sum / float64(n)
	return mean, squares/float64(n)/(mean*mean) - 1
}

func TestH2Fit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name         string
		p, scv       float64
		slow, fast   float64 // rates of first and second phase
		feasibleText string  // "" when feasible
	}{
		{"balanced means", 0.2, 2.125, 0.4, 1.6, ""},
		{"exponential", 0.3, 1, 1, 1, ""},
		{"first phase the slower where both fit", 0.5, 1.5, 1 / 1.5, 2, ""},
		{"only the first phase the faster", 0.8, 2.125, 1.6, 0.4, ""},
		{"below 1", 0.2, 0.99, 0, 0, "at least 1 and below 9"},
		{"at the limit", 0.5, 3, 0, 0, "at least 1 and below 3"},
		{"above the limit", 0.2, 12, 0, 0, "at least 1 and below 9"},
		{"p 0", 0, 2, 0, 0, "outside (0, 1)"},
		{"p 1", 1, 2, 0, 0, "outside (0, 1)"},
		{"p NaN", math.NaN(), 2, 0, 0, "outside (0, 1)"},
		{"scv NaN", 0.2, math.NaN(), 0, 0, "at least 1"},
		{"scv Inf", 0.2, math.Inf(1), 0, 0, "at least 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h, err := NewH2(tt.p, tt.scv)
			if tt.feasibleText != "" {
				if err == nil || !strings.Contains(err.Error(), tt.feasibleText) {
					t.Fatalf("error %v, want it to hold %q", err, tt.feasibleText)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			r := h.Rates()
			if math.Abs(r[0]-tt.slow) > 1e-12 || math.Abs(r[1]-tt.fast) > 1e-12 {
				t.Errorf("rates %v, want %v %v", r, tt.slow, tt.fast)
			}
		})
	}
}

func TestH2MomentsAreExactOverTheFeasibleRange(t *testing.T) {
	t.Parallel()
	src := rand.New(Random(3, "pairs"))
	for range 10_000 {
		p := 0.001 + 0.998*src.Float64()
		q := 1 - p
		scv := 1 + 0.999*src.Float64()*2*max(q/p, p/q)
		h, err := NewH2(p, scv)
		if err != nil {
			t.Fatal(err)
		}
		prob, rate := h.Probabilities(), h.Rates()
		first := prob[0]/rate[0] + prob[1]/rate[1]
		second := 2 * (prob[0]/rate[0]/rate[0] + prob[1]/rate[1]/rate[1])
		if math.Abs(first-1) > 1e-9 || math.Abs(second-1-scv) > 1e-9*(1+scv) {
			t.Fatalf("p %v scv %v: mean %v, second moment %v", p, scv, first, second)
		}
	}
}

func TestNewLawReportsEveryFault(t *testing.T) {
	t.Parallel()
	_, err := NewLaw("h2", Values{"q": {1}, "z": {2}})
	for _, want := range []string{"missing parameter p", "missing parameter scv", `unknown parameter "q"`, `unknown parameter "z"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v lacks %q", err, want)
		}
	}
	if _, err := NewLaw("h3", nil); err == nil || !strings.Contains(err.Error(), "even, h2, lognormal") {
		t.Errorf("error %v does not name the laws", err)
	}
}

func TestLogarithm(t *testing.T) {
	t.Parallel()
	src := Random(1, "logarithm")
	check := func(x float64) {
		want := math.Log(x)
		if d := math.Abs(logarithm(x) - want); d > 0x1p-51*max(1, math.Abs(want)) {
			t.Fatalf("ln %v = %v, want %v", x, logarithm(x), want)
		}
	}
	for _, x := range []float64{1, 0.5, 0x1p-53, 1 - 0x1p-53, math.Sqrt2 / 2, 2, 10, 1e300} {
		check(x)
	}
	for range 1_000_000 {
		check(uniform(src))
	}
}

func TestRandomIsOneStreamAConcern(t *testing.T) {
	t.Parallel()
	a, b, c := Random(1, "arrivals"), Random(1, "service"), Random(2, "arrivals")
	if x, y, z := a.Uint64(), b.Uint64(), c.Uint64(); x == y || x == z || y == z {
		t.Errorf("streams coincide: %x %x %x", x, y, z)
	}
}
