package pool

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// warmPath is the study's warm response time. The 2 ms above T decide: 15
// workers at 30/s and exactly 500 ms are a knife's edge, where whether ceil
// rounds up depends on the last request of a window.
const warmPath = 502 * time.Millisecond

// A stretch of the study's workload: the rate goes from one value to another.
type stretch struct {
	from, to float64
	length   time.Duration
	spike    bool
}

// fourCycles is the study's workload: cycle 1 warms up for 8 s, cycles 2 to 4
// for 35 s.
func fourCycles() []stretch {
	var all []stretch
	for cycle := range 4 {
		warmup := 35 * time.Second
		if cycle == 0 {
			warmup = 8 * time.Second
		}
		all = append(all,
			stretch{2, 2, warmup, false}, stretch{2, 30, 30 * time.Second, false},
			stretch{30, 30, 5 * time.Second, true}, stretch{2, 2, 6 * time.Second, false},
			stretch{0, 0, 8 * time.Second, false})
	}
	return all
}

// arrivals is evenly spaced: arrival n comes when the integral of the rate
// reaches n. The second result says which belong to a spike, and to which one.
func arrivals(all []stretch) (at []time.Duration, spike []int) {
	var start time.Duration
	count, spikes := 0.0, 0
	for _, s := range all {
		length := s.length.Seconds()
		slope := (s.to - s.from) / length
		end := count + (s.from+s.to)/2*length
		if s.spike {
			spikes++
		}
		for n := float64(len(at)); n < end-1e-9; n++ {
			need := n - count
			x := need / s.from // of a constant rate
			if slope != 0 {
				x = (math.Sqrt(s.from*s.from+2*slope*need) - s.from) / slope
			}
			at = append(at, start+time.Duration(x*float64(time.Second)))
			which := 0
			if s.spike {
				which = spikes
			}
			spike = append(spike, which)
		}
		count, start = end, start+s.length
	}
	return at, spike
}

// spikeCold plays the four cycles and counts, a cycle, the spike's requests
// whose response took more than 700 ms, the study's measure.
func spikeCold(t *testing.T, name string, phase time.Duration) [5]int {
	t.Helper()
	cfg := study()
	cfg.TickPhase = phase
	w := newWorld(build(t, cfg, name, "", nil, 0), 100*time.Millisecond, warmPath)
	w.run(time.Second) // the load begins when the node is ready
	at, spike := arrivals(fourCycles())
	if len(at) != 2794 {
		t.Fatalf("%d arrivals, want 2794", len(at))
	}
	for id, x := range at {
		w.plan(time.Second+x, func(now time.Duration) []Command { return w.pool.Arrive(now, uint64(id)) })
	}
	w.run(time.Second + 6*time.Minute)
	var cold [5]int
	for id, which := range spike {
		if which > 0 && w.answered[uint64(id)]-at[id]-time.Second > 700*time.Millisecond {
			cold[which]++
			cold[0]++
		}
	}
	if len(w.answered) != len(at) {
		t.Errorf("%s: %d answered of %d", name, len(w.answered), len(at))
	}
	return cold
}

// TestFourCycles sets the pool beside the model the study's figures were fitted
// with, over tick phases of a whole tick. That model's counts are 0 for static,
// 57 [0–199] for reactive and 19 with a maximum of 84 for ewma; the study's own
// runs gave 0, 70 ± 1 and 48 ± 19. A single phase may lie outside (ours has one
// with 102 for ewma), the mean may not. For arima the model tells a mean of 82 and
// no range, the study's runs gave 64 ± 12 and once 85; ours has a mean of 95 over
// 12 phases, from 0 to 279, and its two phases here are only there to see a fault.
func TestFourCycles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		policy string
		phases int
		most   float64
	}{{"static", 12, 0}, {"reactive", 12, 199}, {"ewma", 12, 84}, {"arima", 2, 279}} {
		if c.policy == "arima" && testing.Short() {
			continue // seconds of fits
		}
		sum, report := 0, ""
		for i := range c.phases {
			cold := spikeCold(t, c.policy, time.Duration(i)*2*time.Second/time.Duration(c.phases))
			sum += cold[0]
			report += fmt.Sprintf(" %v", cold)
		}
		mean := float64(sum) / float64(c.phases)
		t.Logf("%-8s mean %.1f of 600; a phase [all C1 C2 C3 C4]:%s", c.policy, mean, report)
		if mean > c.most {
			t.Errorf("%s: %.1f of 600 slow on average, the model has at most %g in any phase", c.policy, mean, c.most)
		}
	}
}
