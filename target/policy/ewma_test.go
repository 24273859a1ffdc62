package policy

import (
	"math"
	"testing"
	"time"
)

// windows feeds rates to a policy, one tick of 2 s each.
func windows(p Policy, rates ...float64) []Decision {
	var all []Decision
	for i, x := range rates {
		all = append(all, p.Decide(Observation{
			Now: time.Duration(i+1) * 2 * time.Second, Window: 2 * time.Second,
			Arrivals: int(2 * x), ServiceTime: 500 * time.Millisecond,
		}))
	}
	return all
}

func ewmaWith(t *testing.T, params map[string]float64) Policy {
	t.Helper()
	p, err := New("ewma", params, 0)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEWMAByHand(t *testing.T) {
	t.Parallel()
	got := windows(ewmaWith(t, nil), 10, 10, 20, 0)
	// S: 10−0−5 = 5; 5+10−2−5 = 8, not above h; 8+20−3.6−5 = 19.4 alarm; restarted, 0−6.88−5 < 0.
	// b: 2; 3.6; 6.88; 5.504. N: ceil(1)+1; ceil(1.8)+1; ceil(10)+1 of the window; ceil(2.752)+1.
	want := []Decision{
		{Target: 2, Floor: 2, Rate: 10, Baseline: 2, Sum: 5},
		{Target: 3, Floor: 3, Rate: 10, Baseline: 3.6, Sum: 8},
		{Target: 11, Floor: 11, Rate: 20, Baseline: 6.88, Sum: 19.4, Alarm: "fixed"},
		{Target: 4, Floor: 4, Rate: 0, Baseline: 5.504, Sum: 0},
	}
	for i := range want {
		g, w := got[i], want[i]
		if math.Abs(g.Baseline-w.Baseline) > 1e-12 || math.Abs(g.Sum-w.Sum) > 1e-12 {
			t.Errorf("tick %d: baseline %v sum %v, want %v %v", i, g.Baseline, g.Sum, w.Baseline, w.Sum)
		}
		g.Baseline, g.Sum = w.Baseline, w.Sum
		if g != w {
			t.Errorf("tick %d: %+v, want %+v", i, g, w)
		}
	}
}

// The study's own log: a baseline of 15.7 is 9.0 after three ticks at 2/s, 3.7
// after four silent ones, 2.9 after one more.
func TestEWMADecay(t *testing.T) {
	t.Parallel()
	e := ewmaWith(t, nil).(*ewma)
	e.baseline = 15.7
	got := windows(e, 2, 2, 2, 0, 0, 0, 0, 0)
	for i, want := range map[int]float64{2: 9.0, 6: 3.7, 7: 2.9} {
		if b := got[i].Baseline; math.Abs(b-want) > 0.1 {
			t.Errorf("after %d ticks: baseline %.2f, want %.1f", i+1, b, want)
		}
	}
}

func TestEWMALevelTriggered(t *testing.T) {
	t.Parallel()
	for reset, want := range map[float64][]string{1: {"fixed", "", ""}, 0: {"fixed", "fixed", "fixed"}} {
		got := windows(ewmaWith(t, map[string]float64{"reset": reset}), 14, 9, 9)
		for i, d := range got {
			if d.Alarm != want[i] {
				t.Errorf("reset %g, tick %d: alarm %q, want %q (S = %.2f)", reset, i, d.Alarm, want[i], d.Sum)
			}
		}
	}
}

func TestEWMAHeadroom(t *testing.T) {
	t.Parallel()
	got := windows(ewmaWith(t, map[string]float64{"alpha": 1, "headroom": 0.1}), 4, 20)
	if got[1].Target != 12 { // ceil(22 × 0.5) + 1
		t.Errorf("target %d, want 12", got[1].Target)
	}
}

// A window is divided by its measured length: the same arrivals in a window
// twice as long are half the rate.
func TestRateByMeasuredWindow(t *testing.T) {
	t.Parallel()
	for window, want := range map[time.Duration]float64{2 * time.Second: 30, 4 * time.Second: 15, 0: 0} {
		if got := (Observation{Window: window, Arrivals: 60}).Rate(); got != want {
			t.Errorf("window %v: %v/s, want %v", window, got, want)
		}
	}
}

func TestWorkersFor(t *testing.T) {
	t.Parallel()
	half := 500 * time.Millisecond
	for _, c := range []struct {
		lambda float64
		t      time.Duration
		want   int
	}{
		{0, half, 1}, {30, half, 16}, {30.1, half, 17}, {3, 100 * time.Millisecond, 2},
		{0.1 * 3 * 100, half, 16}, // 30.000000000000004
		{1e300, time.Hour, maxTarget}, {math.NaN(), half, 1}, {-1, half, 1},
	} {
		if got := workersFor(c.lambda, c.t); got != c.want {
			t.Errorf("%v/s × %v: %d workers, want %d", c.lambda, c.t, got, c.want)
		}
	}
}

func TestReactiveAndStatic(t *testing.T) {
	t.Parallel()
	r, _ := New("reactive", nil, 0)
	if d := r.Decide(Observation{Window: 1, Busy: 3, Starting: 1, Backlog: 2}); d.Target != 5 || d.Floor != 0 {
		t.Errorf("reactive with a backlog: %+v, want target 5, floor 0", d)
	}
	if d := r.Decide(Observation{Window: 1, Busy: 3, Idle: 2}); d.Target != 5 {
		t.Errorf("reactive without: %+v, want target 5", d)
	}
	s, _ := New("static", nil, 0)
	if d := s.(Initial).Initial(); d.Target != 15 || d.Floor != 15 {
		t.Errorf("static: %+v, want 15 by default", d)
	}
}
