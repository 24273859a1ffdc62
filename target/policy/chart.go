package policy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// A chart watches the rate for an upward shift above the baseline it had before.
type chart interface {
	// observe takes a window's rate x and returns the statistic before any reset.
	observe(x, before float64) (sum float64, fired bool)
	name() string
	describe(alpha float64, tick time.Duration) []string
}

// cusum is the one-sided cumulative sum of Page (1954) in the unit of its input.
type cusum struct {
	k, h  float64
	reset bool // an alarm restarts the sum; else it lasts while the sum is above h
	sum   float64
}

func (c *cusum) add(deviation float64) (sum float64, fired bool) {
	c.sum = max(0, c.sum+deviation-c.k)
	sum, fired = c.sum, c.sum > c.h
	if fired && c.reset {
		c.sum = 0
	}
	return sum, fired
}

// A fixedChart has its reference value and decision interval in requests/s.
type fixedChart struct{ cusum }

func (c *fixedChart) name() string { return "fixed" }

func (c *fixedChart) observe(x, before float64) (float64, bool) { return c.add(x - before) }

func (c *fixedChart) describe(alpha float64, tick time.Duration) []string {
	arl := "in-control ARL0 (Siegmund, Poisson arrivals), ticks:"
	for _, rate := range []float64{30, 60, 100} {
		arl += fmt.Sprintf(" %.0f at %g/s", c.falseAlarmRun(rate, alpha, tick), rate)
	}
	return []string{fmt.Sprintf("fixed CUSUM k = %g, h = %g requests/s", c.k, c.h), arl}
}

// falseAlarmRun is the mean number of ticks between false alarms under Poisson
// arrivals of a constant rate. A window's rate has variance rate/tick, and the
// baseline it is compared with adds alpha/(2−alpha) of that.
func (c *fixedChart) falseAlarmRun(rate, alpha float64, tick time.Duration) float64 {
	sigma := math.Sqrt(rate / tick.Seconds() * (1 + alpha/(2-alpha)))
	return RunLength(0, c.k/sigma, c.h/sigma)
}

// A standardChart divides the deviation by a running standard deviation first
// (EWMSD), so that one pair (k, h) serves every scale of traffic.
type standardChart struct {
	cusum
	beta, floor float64
	variance    float64
}

// frozenAbove: a sum above it with a positive deviation means an excursion is
// under way. Its deviations would inflate sigma and hide the rest of it.
const frozenAbove = 1

func (c *standardChart) name() string { return "standardised" }

func (c *standardChart) observe(x, before float64) (float64, bool) {
	deviation := x - before
	sigma := max(math.Sqrt(c.variance), c.floor)
	sum, fired := c.add(deviation / sigma)
	if !(sum > frozenAbove && deviation > 0) {
		c.variance += c.beta * (deviation*deviation - c.variance)
	}
	return sum, fired
}

func (c *standardChart) describe(alpha float64, tick time.Duration) []string {
	const rate = 30
	simulated := "none in the ticks simulated"
	if run := c.plugInRun(rate, alpha, tick); !math.IsInf(run, 1) {
		simulated = fmt.Sprintf("about %.2g", run)
	}
	return []string{
		fmt.Sprintf("standardised CUSUM k = %g, h = %g sigma, EWMSD beta %g, sigma at least %g/s, frozen in an upward excursion", c.k, c.h, c.beta, c.floor),
		fmt.Sprintf("in-control ARL0, ticks: %.0f nominal (Siegmund, sigma known); %s simulated with the estimated sigma, at %d/s", RunLength(0, c.k, c.h), simulated, rate),
	}
}

// plugInRun is the mean number of ticks between false alarms when sigma and the
// baseline are estimated, as they are here, under Poisson arrivals of a constant
// rate: simulated, with a standard error of a tenth where it is about 1,000. It is
// infinite when no alarm came. Counts are rounded normal ones.
func (c *standardChart) plugInRun(rate, alpha float64, tick time.Duration) float64 {
	const ticks = 150_000
	chart := standardChart{cusum: cusum{k: c.k, h: c.h, reset: true}, beta: c.beta, floor: c.floor}
	rng := rand.New(rand.NewPCG(1, 0))
	mean, baseline, alarms := rate*tick.Seconds(), rate, 0
	for range ticks {
		x := max(0, math.Round(mean+math.Sqrt(mean)*rng.NormFloat64())) / tick.Seconds()
		if _, fired := chart.observe(x, baseline); fired {
			alarms++
		}
		baseline += alpha * (x - baseline)
	}
	return ticks / float64(alarms)
}
