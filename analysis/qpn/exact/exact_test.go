package exact_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"edgebench/analysis/qpn/dist"
	"edgebench/analysis/qpn/exact"
)

// reference is one row of queueing.csv.
type reference struct {
	model, params, note          string
	lambda, x, r, n, power, wait float64
}

func references(t *testing.T) []reference {
	t.Helper()
	f, err := os.Open("../testdata/queueing.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var refs []reference
	for _, row := range rows[1:] {
		if !strings.HasPrefix(row[8], "exact") {
			continue
		}
		ref := reference{model: row[0], params: row[1], note: row[9]}
		for i, to := range []*float64{&ref.lambda, &ref.x, &ref.r, &ref.n, &ref.power, &ref.wait} {
			if *to, err = strconv.ParseFloat(row[2+i], 64); err != nil {
				t.Fatalf("queueing.csv: %v", err)
			}
		}
		refs = append(refs, ref)
	}
	return refs
}

func h2(t *testing.T, lambda float64) dist.H2 {
	t.Helper()
	h, err := dist.NewH2(1/lambda, 0.2, 2.125)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func solve(t *testing.T, ref reference) (exact.Result, float64) {
	t.Helper()
	var c, n, k int
	var mu float64
	scan := func(format string, into ...any) {
		if _, err := fmt.Sscanf(ref.params, format, into...); err != nil {
			t.Fatalf("params %q: %v", ref.params, err)
		}
	}
	var r exact.Result
	var err error
	full := math.NaN()
	switch {
	case ref.model == "MMinf":
		scan("mu=%g", &mu)
		r, err = exact.MMInf(ref.lambda, mu)
	case ref.model == "MMc":
		scan("c=%d mu=%g", &c, &mu)
		r, err = exact.MMc(ref.lambda, mu, c)
	case ref.model == "H2Mc":
		scan("c=%d mu=%g", &c, &mu)
		r, err = exact.GIMc(h2(t, ref.lambda), mu, c)
	case ref.model == "MBS-static-RR":
		scan("F=%d mu=%g", &n, &mu)
		r, err = exact.RoundRobin(h2(t, ref.lambda), mu, n)
	case ref.model == "MBS-static-random":
		scan("F=%d mu=%g", &n, &mu)
		weights := make([]float64, n)
		for i := range weights {
			weights[i] = 1
		}
		r, err = exact.RandomSplit(h2(t, ref.lambda), mu, weights)
	case strings.HasPrefix(ref.model, "CLS"):
		scan("%dx%d", &n, &k)
		cls := exact.CLS{Instances: n, Tokens: k, Mu: 3}
		switch {
		case strings.Contains(ref.params, "JSQ"):
			cls.Order = exact.JSQ
		case strings.Contains(ref.params, "random-free"):
			cls.Order = exact.RandomFree
		case strings.Contains(ref.params, "own server"):
			cls.Servers = k
		}
		var s exact.CLSResult
		s, err = cls.Solve(h2(t, ref.lambda))
		r, full = s.Result, s.Full
	default:
		t.Fatalf("model %q: no formula", ref.model)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r, full
}

// Every exact row of the reference agrees to a relative 1e−6, the smallest
// waits (1e−22) included.
func TestReference(t *testing.T) {
	t.Parallel()
	refs := references(t)
	if len(refs) != 155 {
		t.Fatalf("%d exact rows, want 155", len(refs))
	}
	for _, ref := range refs {
		t.Run(fmt.Sprintf("%s/%s/%g", ref.model, ref.params, ref.lambda), func(t *testing.T) {
			t.Parallel()
			got, full := solve(t, ref)
			close := func(what string, got, want, tolerance float64) {
				if math.Abs(got-want) > tolerance*math.Abs(want) {
					t.Errorf("%s = %.10g, reference %.10g", what, got, want)
				}
			}
			close("X", got.X, ref.x, 1e-6)
			close("R", got.R, ref.r, 1e-6)
			close("N", got.N, ref.n, 1e-6)
			close("power", got.Power, ref.power, 1e-6)
			close("wait", got.Wait, ref.wait, 1e-6)
			if text, ok := strings.CutPrefix(ref.note, "Pfull="); ok {
				want, err := strconv.ParseFloat(text, 64)
				if err != nil {
					t.Fatal(err)
				}
				close("Pfull", full, want, 1e-5) // the file has six digits
			}
		})
	}
}

// The formulas meet where one is a special case of another.
func TestSpecialCases(t *testing.T) {
	t.Parallel()
	exponential := func(mean float64) dist.Exponential {
		e, err := dist.NewExponential(mean)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	r := func(r exact.Result, err error) float64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r.R
	}
	chain := func(c exact.CLS, gap dist.PhaseMixture) float64 {
		s, err := c.Solve(gap)
		return r(s.Result, err)
	}
	lost := func(r exact.Result, _ float64, err error) (exact.Result, error) { return r, err }
	for name, pair := range map[string][2]float64{
		"GI/M/c of exponential gaps = Erlang C": {
			r(exact.GIMc(exponential(1.0/12), 3, 5)), r(exact.MMc(12, 3, 5))},
		"GI/M/c where c(1−sigma) is whole": { // M/M/5 at rho 0.8: c(1−sigma) = 1
			r(exact.GIMc(exponential(1.0/4), 1, 5)), r(exact.MMc(4, 1, 5))},
		"M/G/1 of exponential service = M/M/1": {
			r(exact.MG1(2, exponential(1.0/3))), r(exact.MMc(2, 3, 1))},
		"M/G/1-PS has the mean of M/M/1": {
			r(exact.MG1PS(2, exponential(1.0/3))), 1.0},
		"round robin over one": {
			r(exact.RoundRobin(h2(t, 2), 3, 1)), r(exact.GIMc(h2(t, 2), 3, 1))},
		"random split of Poisson": {
			r(exact.RandomSplit(exponential(1.0/4), 4, []float64{1, 3, 0})), 0.25/(4-1) + 0.75/(4-3)},
		"CLS 5×1 = H2/M/5": {
			chain(exact.CLS{Instances: 5, Tokens: 1, Mu: 3}, h2(t, 12)), r(exact.GIMc(h2(t, 12), 3, 5))},
		"M/M/c/K with endless room": {
			r(lost(exact.MMcK(12, 3, 5, 2000))), r(exact.MMc(12, 3, 5))},
	} {
		if math.Abs(pair[0]/pair[1]-1) > 1e-9 {
			t.Errorf("%s: %.12g and %.12g", name, pair[0], pair[1])
		}
	}
}

// A waiting-time quantile is where the tail has that much left above it, and
// the mean is the integral of the tail.
func TestTail(t *testing.T) {
	t.Parallel()
	r, err := exact.GIMc(h2(t, 12.5), 3, 5)
	if err != nil {
		t.Fatal(err)
	}
	if mean := r.Tail.P / r.Tail.Rate; math.Abs(mean/r.Wait-1) > 1e-12 {
		t.Errorf("integral of the tail %v, mean wait %v", mean, r.Wait)
	}
	at := r.Tail.Quantile(0.99)
	if above := r.Tail.P * math.Exp(-r.Tail.Rate*at); math.Abs(above-0.01) > 1e-12 {
		t.Errorf("share above the 99 %% quantile: %v", above)
	}
	if q := r.Tail.Quantile(0.1); q != 0 {
		t.Errorf("10 %% quantile %v: more than that do not wait at all", q)
	}
}

func TestOverload(t *testing.T) {
	t.Parallel()
	chain := func(lambda float64) error {
		_, err := exact.CLS{Instances: 4, Tokens: 3, Mu: 3}.Solve(h2(t, lambda))
		return err
	}
	split := func(lambda float64) error {
		_, err := exact.RandomSplit(h2(t, lambda), 3, []float64{1, 0.5})
		return err
	}
	robin := func(lambda float64) error {
		_, err := exact.RoundRobin(h2(t, lambda), 3, 5)
		return err
	}
	for name, c := range map[string]struct {
		err      error
		critical bool
		capacity float64
	}{
		"CLS 4×3 at 12":               {chain(12), true, 12},
		"CLS 4×3 at 12.5":             {chain(12.5), false, 12},
		"uneven split at 4.5":         {split(4.5), true, 4.5},
		"uneven split at 5":           {split(5), false, 4.5},
		"round robin at 15":           {robin(15), true, 15},
		"0.1·3 is not quite 0.3 here": {exact.Load(0.1*3, 0.3), true, 0.3},
	} {
		o, ok := errors.AsType[*exact.Overload](c.err)
		if !ok {
			t.Errorf("%s: %v, want an overload", name, c.err)
			continue
		}
		if o.Critical() != c.critical || math.Abs(o.Capacity-c.capacity) > 1e-9 {
			t.Errorf("%s: critical %v capacity %v", name, o.Critical(), o.Capacity)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for text, f := range map[string]func() error{
		"lambda -1":            func() error { _, err := exact.MMInf(-1, 3); return err },
		"mu NaN":               func() error { _, err := exact.MMc(1, math.NaN(), 5); return err },
		"c 0":                  func() error { _, err := exact.GIMc(h2(t, 1), 3, 0); return err },
		"tokens-servers+1 0":   func() error { _, err := exact.CLS{1, 1, 2, 3, exact.JSQ}.Solve(h2(t, 1)); return err },
		"sum of weights 0":     func() error { _, err := exact.RandomSplit(h2(t, 1), 3, nil); return err },
		"weight -1":            func() error { _, err := exact.RandomSplit(h2(t, 1), 3, []float64{2, -1}); return err },
		"more than 700 states": func() error { _, err := exact.CLS{Instances: 9, Tokens: 5, Mu: 3}.Solve(h2(t, 1)); return err },
		"or 10000 tokens":      func() error { _, err := exact.CLS{Instances: 1e9, Tokens: 5, Mu: 3}.Solve(h2(t, 1)); return err },
		"k-c+1 0":              func() error { _, _, err := exact.MMcK(1, 1, 5, 4); return err },
		"M/G/1: mean service":  func() error { d, _ := dist.NewDeterministic(0); _, err := exact.MG1(1, d); return err },
		"round robin: n -1":    func() error { _, err := exact.RoundRobin(h2(t, 1), 3, -1); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("error %v, want one with %q", err, text)
		}
	}
}
