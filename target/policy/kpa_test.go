package policy

import (
	"math"
	"testing"
	"time"
)

func kpaWith(t *testing.T, params map[string]float64) *kpa {
	t.Helper()
	p, err := New("kpa", params, 0)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*kpa)
}

// Ticks of 2 s, target 0.7 a worker.
func TestKPAByHand(t *testing.T) {
	t.Parallel()
	k := kpaWith(t, nil)
	now := time.Duration(0)
	tick := func(concurrency float64, ready int) Decision {
		now += 2 * time.Second
		return k.Decide(Observation{Now: now, Window: 2 * time.Second, Concurrency: concurrency, Idle: ready})
	}
	want := func(d Decision, n int, alarm string) {
		t.Helper()
		if d.Target != n || d.Floor != n || d.Alarm != alarm || d.IdleTimeout != 1 {
			t.Errorf("at %v: %+v, want %d workers, alarm %q", now, d, n, alarm)
		}
	}
	want(tick(0.7, 1), 1, "")
	want(tick(6.3, 1), 5, "panic") // mean 3.5 in both windows: 5, five times the ready one
	want(tick(7, 5), 7, "")        // mean 4.67: 6.67; 7/5 is below 2, and still panic
	want(tick(7, 7), 10, "")       // the last 6 s: 6.77, which is 9.67; the stable window has 5.25
	want(tick(0, 10), 10, "")      // no fall in panic
	for now < 64*time.Second {
		want(tick(0, 10), 10, "") // the threshold was crossed at 4 s
	}
	want(tick(0, 10), 5, "") // at 66 s, more than 60 s later, only the windows from 6 s on count: 7·2 s/60 s is 1
	want(tick(0, 5), 2, "")  // halved at most; the stable window is empty
	want(tick(0, 2), 1, "")
	want(tick(0, 1), 1, "") // 72 s: none wanted from now on, the last stays 30 s
	for now < 100*time.Second {
		want(tick(0, 1), 1, "")
	}
	want(tick(0, 1), 0, "")
	want(tick(0, 0), 0, "")
	want(tick(0.1, 0), 1, "") // ready counts as 1, so this is no panic
}

func TestKPALimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		params      map[string]float64
		concurrency float64
		ready, want int
	}{
		"rise of 2 at most":       {map[string]float64{"up": 2}, 700, 3, 6},
		"rise of 1000 at most":    {nil, 1e6, 1, 1000},
		"unlimited counts as 100": {map[string]float64{"concurrency": 0}, 141, 2, 3},
		"30/s of 500 ms":          {nil, 15, 15, 22},
	} {
		k := kpaWith(t, c.params)
		d := k.Decide(Observation{Now: 2 * time.Second, Window: 2 * time.Second, Concurrency: c.concurrency, Busy: c.ready})
		if d.Target != c.want {
			t.Errorf("%s: target %d, want %d", name, d.Target, c.want)
		}
	}
}

func TestBuckets(t *testing.T) {
	t.Parallel()
	b := newBuckets(10)
	if m := b.mean(5); m != 0 {
		t.Errorf("empty: %v", m)
	}
	check := func(span int, want float64) {
		t.Helper()
		if m := b.mean(span); math.Abs(m-want) > 1e-12 {
			t.Errorf("mean of the last %d s is %v, want %v", span, m, want)
		}
	}
	ms := time.Millisecond
	b.add(0, 1500*ms, 4)
	b.add(1500*ms, 3000*ms, 8)
	check(1, 8)
	check(2, 7) // 0.5 s of 4, 1.5 s of 8
	check(10, 6)
	b.add(3000*ms, 3000*ms, 1e9) // nothing lasts no time
	check(10, 6)
	b.add(3000*ms, 9000*ms, 0)
	check(10, 2)
	b.add(9000*ms, 100*time.Second, 1) // longer than all buckets
	check(10, 1)
	check(1, 1)
	b.add(500*time.Second, 501*time.Second, 3) // a gap is forgotten
	check(10, 3)
}
