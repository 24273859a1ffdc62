package policy

import (
	"fmt"
	"math"
	"time"
)

var kpaSpec = Spec{
	Name: "kpa",
	Help: "Knative's autoscaler: requests in the node over a stable and a panic window against a target a worker",
	Cost: "O(1)",
	Params: []Param{
		{Name: "concurrency", Help: "requests a worker takes at once; 0 for no limit, which counts as 100", Default: 1, Min: 0, Max: 100000},
		{Name: "utilization", Help: "share of the concurrency aimed at", Default: 0.7, Min: 0.01, Max: 1},
		{Name: "stable", Help: "stable window, seconds", Default: 60, Min: 6, Max: 3600, Whole: true},
		{Name: "panic", Help: "panic window, seconds", Default: 6, Min: 1, Max: 3600, Whole: true},
		{Name: "threshold", Help: "wanted over ready workers in the panic window that mean panic", Default: 2, Min: 1.1, Max: 1000},
		{Name: "up", Help: "most wanted over ready workers of one decision", Default: 1000, Min: 1.1, Max: 1e6},
		{Name: "down", Help: "most ready over wanted workers of one decision", Default: 2, Min: 1.1, Max: 1e6},
		{Name: "grace", Help: "seconds without demand before the last worker goes", Default: 30, Min: 0, Max: 86400},
	},
	build: func(p values, workers int) Policy {
		total := p["concurrency"]
		if total == 0 {
			total = 100
		}
		stable, panics := int(p["stable"]), int(p["panic"])
		return &kpa{
			target: max(0.01, p["utilization"]*total), stable: stable, panics: panics,
			threshold: p["threshold"], up: p["up"], down: p["down"],
			grace: seconds(p["grace"]), initial: max(workers, 1),
			seen: newBuckets(max(stable, panics)),
		}
	},
}

// kpa is the decision of Knative's pod autoscaler on concurrency, as read in its
// source in 2026. A worker it no longer wants goes at once, not after an idle
// timeout; a busy one finishes its request first.
type kpa struct {
	target         float64 // concurrency a worker
	stable, panics int     // seconds
	threshold      float64
	up, down       float64
	grace          time.Duration
	initial        int
	seen           buckets
	panicking      bool
	crossed        time.Duration // last instant above the threshold, while panicking
	most           int           // highest count of the panic
	silent         bool
	silentSince    time.Duration
}

func (k *kpa) Initial() Decision {
	return Decision{Target: k.initial, Floor: k.initial, IdleTimeout: atOnce}
}

// atOnce is an idle timeout for workers that are wanted no more.
const atOnce = time.Nanosecond

func (k *kpa) Decide(o Observation) Decision {
	k.seen.add(o.Now-o.Window, o.Now, o.Concurrency)
	ready := float64(max(1, o.Busy+o.Idle))
	wantedStable, wantedPanic := k.workers(k.stable), k.workers(k.panics)
	d := Decision{Rate: o.Rate(), IdleTimeout: atOnce}
	n := k.clamp(wantedStable, ready)
	switch {
	case wantedPanic/ready >= k.threshold:
		if !k.panicking {
			k.panicking, k.most = true, 0
		}
		k.crossed = o.Now
		d.Alarm = "panic"
	case k.panicking && o.Now-k.crossed > time.Duration(k.stable)*time.Second:
		k.panicking = false
	}
	if k.panicking {
		k.most = max(k.most, n, k.clamp(wantedPanic, ready))
		n = k.most
	}
	d.Target = k.linger(n, o.Now)
	d.Floor = d.Target
	return d
}

// workers is what the concurrency of the last seconds asks for.
func (k *kpa) workers(seconds int) float64 {
	return math.Ceil(k.seen.mean(seconds) / k.target * (1 - 1e-9))
}

// clamp bounds the change of one decision.
func (k *kpa) clamp(wanted, ready float64) int {
	return bounded(min(max(wanted, math.Floor(ready/k.down)), math.Ceil(k.up*ready)))
}

// linger keeps the last worker until none has been wanted for the grace period.
func (k *kpa) linger(n int, now time.Duration) int {
	if n > 0 {
		k.silent = false
		return n
	}
	if !k.silent {
		k.silent, k.silentSince = true, now
	}
	if now-k.silentSince < k.grace {
		return 1
	}
	return 0
}

func (k *kpa) Describe(time.Duration) []string {
	return []string{
		fmt.Sprintf("N = ceil(concurrency / %g) over %d s, at most %g times and at least 1/%g of the ready workers", k.target, k.stable, k.up, k.down),
		fmt.Sprintf("panic from %g times the ready workers over %d s until %d s after: the count does not fall", k.threshold, k.panics, k.stable),
	}
}
