package qpn_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"edgebench/analysis/qpn"
	"edgebench/analysis/qpn/dist"
	"edgebench/analysis/qpn/exact"
	"edgebench/analysis/qpn/net"
)

func trim(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// shorter makes a long run a quarter of itself under -short.
func shorter(n int) int {
	if testing.Short() {
		return n / 4
	}
	return n
}

// queue is arrivals, c exponential servers of rate mu, one queue.
func queue(gap func(lambda float64) (dist.Law, error), mu float64, c int) func(float64) (*net.Net, error) {
	return func(lambda float64) (*net.Net, error) {
		arrivals, err := gap(lambda)
		if err != nil {
			return nil, err
		}
		service, err := dist.NewExponential(1 / mu)
		at := []net.Arc{{Place: "queue", Colour: "request"}}
		return &net.Net{
			Name: "queue", Colours: []net.Colour{{Name: "request"}},
			Places: []net.Place{{Name: "queue", Queue: &net.Queue{Servers: c, Service: []net.Service{{Colour: "request", Law: service}}}}},
			Transitions: []net.Transition{
				{Name: "arrive", Law: arrivals, Modes: []net.Mode{{Out: at}}},
				{Name: "depart", Modes: []net.Mode{{In: at}}},
			},
		}, err
	}
}

func poisson(lambda float64) (dist.Law, error) { return dist.NewExponential(1 / lambda) }

func mm5() *qpn.Model {
	return &qpn.Model{Name: "M/M/5", Net: queue(poisson, 3, 5), Capacity: 15,
		Exact: func(lambda float64) (exact.Result, error) { return exact.MMc(lambda, 3, 5) }}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	var told []int
	points, err := qpn.Sweep(t.Context(), mm5(), []float64{5, 12, 15, 16}, qpn.Options{Departures: shorter(50_000), Level: 0.999},
		func(done, of int, pt *qpn.Point) { told = append(told, done*10+of) })
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(told) != "[14 24 34 44]" {
		t.Errorf("progress %v", told)
	}
	for _, pt := range points[:2] {
		m := pt.Measures
		if pt.Verdict != qpn.Stable || m == nil || pt.Exact == nil {
			t.Fatalf("lambda %v: %+v", pt.Lambda, pt)
		}
		if !m.R.Covers(pt.Exact.R) || !m.N.Covers(pt.Exact.N) || !m.X.Covers(pt.Lambda) || !m.Power.Covers(pt.Exact.Power) {
			t.Errorf("lambda %v: X %v R %v N %v power %v, exact %+v", pt.Lambda, m.X, m.R, m.N, m.Power, *pt.Exact)
		}
		if !m.Places[0].Busy.Covers(pt.Lambda / 3) {
			t.Errorf("lambda %v: busy %v, want %v", pt.Lambda, m.Places[0].Busy, pt.Lambda/3)
		}
		if math.Abs(m.Little) > 0.02 || len(pt.Warnings) > 0 {
			t.Errorf("lambda %v: Little %v, warnings %v", pt.Lambda, m.Little, pt.Warnings)
		}
	}
	for i, want := range map[int]qpn.Verdict{2: qpn.Critical, 3: qpn.Unstable} {
		if pt := points[i]; pt.Verdict != want || pt.Measures != nil || pt.Capacity != 15 || pt.Reason == "" {
			t.Errorf("lambda %v: %+v, want %s and no mean", pt.Lambda, pt, want)
		}
	}
}

// Without a known capacity the runs themselves show that there is none to speak
// of at this rate: far above, and at critical load.
func TestGrowing(t *testing.T) {
	t.Parallel()
	m := mm5()
	m.Capacity, m.Exact = 0, nil
	for name, o := range map[string]qpn.Options{"replications": {Departures: shorter(50_000)}, "batches": {Departures: shorter(200_000), Batches: 20}} {
		points, err := qpn.Sweep(t.Context(), m, []float64{10, 15, 18}, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []qpn.Verdict{qpn.Stable, qpn.Growing, qpn.Growing} {
			if pt := points[i]; pt.Verdict != want || (pt.Measures != nil) != want.Steady() {
				t.Errorf("%s, lambda %v: %s (%s), want %s", name, pt.Lambda, pt.Verdict, pt.Reason, want)
			}
		}
	}
}

// A known capacity that the model never reaches does not make its runs stable,
// and a run that is only slow to settle is not called growing.
func TestGrowingBelowCapacity(t *testing.T) {
	t.Parallel()
	m := mm5()
	m.Capacity, m.Exact = 100, nil // it serves 15/s
	points, err := qpn.Sweep(t.Context(), m, []float64{10, 30}, qpn.Options{Departures: 10_000}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []qpn.Verdict{qpn.Stable, qpn.Growing} {
		if pt := points[i]; pt.Verdict != want || (pt.Measures != nil) != want.Steady() {
			t.Errorf("lambda %v: %s (%s), want %s", pt.Lambda, pt.Verdict, pt.Reason, want)
		}
	}
}

// Runs that are short against the memory of a nearly critical queue say so.
func TestShortRunsWarn(t *testing.T) {
	t.Parallel()
	points, err := qpn.Sweep(t.Context(), mm5(), []float64{14.9}, qpn.Options{Departures: 5_000}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if w := fmt.Sprint(points[0].Warnings); !strings.Contains(w, "too short") {
		t.Errorf("warnings at load 0.993: %s", w)
	}
}

// The stopping rule adds replications until the interval is narrow enough, and
// not beyond its bound.
func TestRelativeHalf(t *testing.T) {
	t.Parallel()
	narrow := qpn.Options{Replications: 4, Departures: 10_000, RelativeHalf: 0.02}
	points, err := qpn.Sweep(t.Context(), mm5(), []float64{12}, narrow, nil)
	if err != nil {
		t.Fatal(err)
	}
	if pt := points[0]; pt.Replications <= 4 || pt.Measures.R.Relative() > 0.02 {
		t.Errorf("stopped after %d replications at %v", pt.Replications, pt.Measures.R)
	}
	narrow.RelativeHalf, narrow.MaxReplications = 1e-9, 6
	if points, err = qpn.Sweep(t.Context(), mm5(), []float64{12}, narrow, nil); err != nil || points[0].Replications != 6 {
		t.Errorf("replications %d, error %v; want the bound of 6", points[0].Replications, err)
	}
}

// Batches of one long run give the same answer as replications do.
func TestBatches(t *testing.T) {
	t.Parallel()
	points, err := qpn.Sweep(t.Context(), mm5(), []float64{12}, qpn.Options{Departures: shorter(400_000), Batches: 20, Level: 0.999}, nil)
	if err != nil {
		t.Fatal(err)
	}
	pt := points[0]
	if m := pt.Measures; pt.Replications != 1 || m.R.N != 20 || !m.R.Covers(pt.Exact.R) || !m.N.Covers(pt.Exact.N) || m.R.Relative() > 0.15 {
		t.Errorf("R %v, N %v from %d values, exact %+v", m.R, m.N, m.R.N, *pt.Exact)
	}
}

// A sweep does not depend on how many of its runs go on at a time.
func TestWorkersDoNotMatter(t *testing.T) {
	t.Parallel()
	one, err := qpn.Sweep(t.Context(), mm5(), []float64{6, 9}, qpn.Options{Departures: 2_000, Workers: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	four, err := qpn.Sweep(t.Context(), mm5(), []float64{6, 9}, qpn.Options{Departures: 2_000, Workers: 4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range one {
		if one[i].Measures.R != four[i].Measures.R {
			t.Errorf("lambda %v: %v with one worker, %v with four", one[i].Lambda, one[i].Measures.R, four[i].Measures.R)
		}
	}
}

// An interrupted sweep keeps what was finished.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	lambdas := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	points, err := qpn.Sweep(ctx, mm5(), lambdas, qpn.Options{Departures: 20_000, Workers: 1},
		func(done, of int, pt *qpn.Point) {
			if done == 2 {
				cancel()
			}
		})
	if !errors.Is(err, context.Canceled) || len(points) < 2 || len(points) == len(lambdas) {
		t.Errorf("%d points, error %v", len(points), err)
	}
}

func TestTransientTrace(t *testing.T) {
	t.Parallel()
	points, err := qpn.Sweep(t.Context(), mm5(), []float64{20}, qpn.Options{Departures: 5_000, Trace: 10}, nil)
	if err != nil {
		t.Fatal(err)
	}
	pt := points[0]
	first, last := pt.Trace[0], pt.Trace[len(pt.Trace)-1]
	if pt.Measures != nil || pt.Verdict != qpn.Unstable || last.Population < 3*first.Population || pt.Places[0] != "queue" {
		t.Errorf("verdict %s, measures %v, population %v then %v", pt.Verdict, pt.Measures, first.Population, last.Population)
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	stuck := mm5()
	stuck.Net = func(lambda float64) (*net.Net, error) {
		n, err := queue(poisson, 3, 5)(lambda)
		n.Transitions[0].Modes[0].In = []net.Arc{{Place: "queue", Colour: "request"}}
		return n, err
	}
	for text, f := range map[string]func() error{
		"no arrival rates": func() error { _, err := qpn.Sweep(t.Context(), mm5(), nil, qpn.Options{}, nil); return err },
		"lambda -1":        func() error { _, err := qpn.Sweep(t.Context(), mm5(), []float64{-1}, qpn.Options{}, nil); return err },
		"replications -3: outside": func() error {
			_, err := qpn.Sweep(t.Context(), mm5(), []float64{1}, qpn.Options{Replications: -3}, nil)
			return err
		},
		"replications 1: outside": func() error { return qpn.Options{Replications: 1}.Validate() },
		"batches 1: outside":      func() error { return qpn.Options{Batches: 1}.Validate() },
		"batches 51: outside":     func() error { return qpn.Options{Batches: 51}.Validate() },
		"departures 5":            func() error { return qpn.Options{Departures: 5}.Validate() },
		"level 2":                 func() error { return qpn.Options{Level: 2}.Validate() },
		"deadlock at time 0": func() error {
			_, err := qpn.Sweep(t.Context(), stuck, []float64{1, 2}, qpn.Options{Departures: 1000}, nil)
			return err
		},
		"the range is reversed":          func() error { _, err := qpn.ParseLambdas("15:1:0.5"); return err },
		`"x" is not a finite`:            func() error { _, err := qpn.ParseLambdas("1:x"); return err },
		`"0" is not a finite`:            func() error { _, err := qpn.ParseLambdas("1:5:0"); return err },
		`"NaN" is not a finite`:          func() error { _, err := qpn.ParseLambdas("NaN"); return err },
		"not from:to:step":               func() error { _, err := qpn.ParseLambdas("1:2:3:4"); return err },
		"999000001 points: more than 10": func() error { _, err := qpn.ParseLambdas("1:1000:0.000001"); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("error %v, want one with %q", err, text)
		}
	}
}

func TestParseLambdas(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"12": "[12]", "1, 5,10": "[1 5 10]", "1:3": "[1 2 3]", "1:2:0.25": "[1 1.25 1.5 1.75 2]",
		"0.1:0.5:0.1": "[0.1 0.2 0.3 0.4 0.5]", "1:2:0.4": "[1 1.4 1.8]", "5:5:1": "[5]",
	} {
		got, err := qpn.ParseLambdas(text)
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: %v (%v), want %s", text, got, err, want)
		}
	}
}

func TestEstimate(t *testing.T) {
	t.Parallel()
	c, err := qpn.Estimate(t.Context(), mm5(), []float64{5, 10, 15, 20}, qpn.Options{Replications: 3, Departures: 1e6})
	if err != nil {
		t.Fatal(err)
	}
	if c.Points != 2 || c.Runs != 6 || c.Departures != 6e6 || c.Time <= 0 {
		t.Errorf("cost %s", c)
	}
}
