package policy

import (
	"errors"
	"slices"
	"testing"
	"time"
)

func hybridWith(t *testing.T, params map[string]float64) *hybrid {
	t.Helper()
	p, err := New("hybrid-histogram", params, 0)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*hybrid)
}

func learn(p Policy, idles ...time.Duration) {
	for _, idle := range idles {
		p.Decide(Observation{Window: 2 * time.Second, Arrivals: 1, Idles: []time.Duration{idle}})
	}
}

// silent is the decision after so much emptiness.
func silent(p Policy, d time.Duration) Decision {
	return p.Decide(Observation{Window: 2 * time.Second, Silence: d})
}

// Twenty idle times between 10 and 11 minutes: both quantiles lie in that bin.
// Prewarm at 0.9 · 10 min, keep until 1.1 · 11 min.
func TestHybridByHand(t *testing.T) {
	t.Parallel()
	h := hybridWith(t, nil)
	learn(h, slices.Repeat([]time.Duration{10*time.Minute + 30*time.Second}, 20)...)
	for _, c := range []struct {
		silence time.Duration
		workers int
		timeout time.Duration
	}{
		{0, 0, 12*time.Minute + 6*time.Second}, // busy: misses start, the keep window reaps
		{2 * time.Second, 0, 1},
		{9*time.Minute - 1, 0, 1},
		{9 * time.Minute, 1, 1},
		{12*time.Minute + 5*time.Second, 1, 1},
		{12*time.Minute + 6*time.Second, 0, 1},
	} {
		if d := silent(h, c.silence); d.Target != c.workers || d.Floor != c.workers || d.IdleTimeout != c.timeout {
			t.Errorf("after %v of silence: %+v, want %d workers, idle timeout %v", c.silence, d, c.workers, c.timeout)
		}
	}
}

// Where idle times begin in the first bin there is nothing to unload for: what
// there is, is kept until the tail.
func TestHybridWithoutPrewarm(t *testing.T) {
	t.Parallel()
	h := hybridWith(t, nil)
	learn(h, slices.Repeat([]time.Duration{5 * time.Second, 90 * time.Second}, 10)...)
	if d := silent(h, time.Minute); d.Target != 0 || d.IdleTimeout != 132*time.Second {
		t.Errorf("%+v, want no prewarm and 1.1 · 2 min", d)
	}
}

func TestHybridKeepsItsRangeWhereItKnowsNothing(t *testing.T) {
	t.Parallel()
	var spread []time.Duration
	for i := range 240 {
		spread = append(spread, time.Duration(i)*time.Minute)
	}
	for name, idles := range map[string][]time.Duration{"new": nil, "few": spread[10:19], "spread": spread} {
		h := hybridWith(t, nil)
		learn(h, idles...)
		for _, silence := range []time.Duration{0, time.Hour} {
			if d := silent(h, silence); d.Target != 0 || d.IdleTimeout != 4*time.Hour {
				t.Errorf("%s, %v of silence: %+v, want kept for 4h", name, silence, d)
			}
		}
	}
}

// Idle times beyond the range are forecast: 5 h, prewarm at 0.85 of it, keep for 0.3.
func TestHybridForecastsLongIdleTimes(t *testing.T) {
	t.Parallel()
	five := slices.Repeat([]time.Duration{5 * time.Hour}, 10)
	want := func(h *hybrid) {
		t.Helper()
		for silence, workers := range map[time.Duration]int{time.Minute: 0, 255 * time.Minute: 1, 344 * time.Minute: 1, 345 * time.Minute: 0} {
			if d := silent(h, silence); d.Target != workers || d.IdleTimeout != 1 {
				t.Errorf("after %v of silence: %+v, want %d workers", silence, d, workers)
			}
		}
	}
	h := hybridWith(t, nil) // a constant series cannot be fitted: the last one counts
	learn(h, five...)
	want(h)

	h = hybridWith(t, nil)
	f := &scripted{answers: make([][]float64, 10)}
	h.Attach(f)
	learn(h, five...)
	if len(f.asked) != 1 || len(f.asked[0].Series) != 10 || f.asked[0].Series[0] != 18000 {
		t.Errorf("asked %+v, want once about ten times 18000 s", f.asked)
	}
	if d := silent(h, time.Minute); d.IdleTimeout != 4*time.Hour {
		t.Errorf("pending: %+v, want what was before", d)
	}
	h.Revise([]float64{18000}, nil)
	want(h)
	h.Revise(nil, errors.New("constant"))
	want(h)
	learn(h, slices.Repeat([]time.Duration{30 * time.Second}, 30)...)
	h.Revise([]float64{18000}, nil) // nobody waits for it any more
	if d := silent(h, time.Second); d.IdleTimeout == 1 {
		t.Errorf("%+v: a late forecast in spite of the histogram", d)
	}
}

func TestIdleHistogram(t *testing.T) {
	t.Parallel()
	h := idleHistogram{width: time.Second, bins: make([]int, 4)}
	if h.variation() != 0 {
		t.Errorf("variation of nothing: %v", h.variation())
	}
	for _, idle := range []time.Duration{0, 500e6, 1e9, 3999e6, 4e9, 1 << 62} {
		h.add(idle)
	}
	if h.inside != 4 || h.outside != 2 || h.squares != 6 {
		t.Errorf("%+v, want 4 inside (2, 1, 0, 1) and 2 outside", h)
	}
	if v := h.variation(); v < 0.7071 || v > 0.7072 { // mean 1, variance (1+0+1+0)/4
		t.Errorf("variation %v, want √½", v)
	}
	for q, want := range map[float64]int{0: 0, 0.05: 0, 0.5: 0, 0.51: 1, 0.75: 1, 0.76: 3, 1: 3} {
		if got := h.quantile(q); got != want {
			t.Errorf("quantile %v is in bin %d, want %d", q, got, want)
		}
	}
}

func TestTTL(t *testing.T) {
	t.Parallel()
	for keep, want := range map[float64]time.Duration{600: 10 * time.Minute, 0: 0, 1.5: 1500 * time.Millisecond} {
		p, err := New("ttl", map[string]float64{"keep": keep}, 4)
		if err != nil {
			t.Fatal(err)
		}
		if d := p.(Initial).Initial(); d != (Decision{Target: 4, IdleTimeout: want}) {
			t.Errorf("initial: %+v", d)
		}
		if d := p.Decide(Observation{Window: time.Second, Arrivals: 3, Busy: 9}); d != (Decision{Rate: 3, IdleTimeout: want}) {
			t.Errorf("keep %v: %+v", keep, d)
		}
	}
}
