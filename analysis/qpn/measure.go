package qpn

import (
	"fmt"
	"math"

	"edgebench/analysis/qpn/net"
	"edgebench/analysis/qpn/stats"
)

// warmUp returns how many departures to leave out of every run. One cut for all
// runs, found on the average of their series: a cut chosen run by run would
// favour, in each, the start that suits it.
func warmUp(runs []*net.Observation) (departures int, settled bool) {
	series := make([][]float64, len(runs))
	for i, o := range runs {
		series[i] = o.Responses
	}
	batches, settled := stats.MSER(stats.Average(series))
	return batches * runs[0].Batch, settled
}

// stretches are the parts of the runs that count as independent: each run after
// its warm-up, or the batches of the one run there is.
func stretches(runs []*net.Observation, warm, batches int) []net.Means {
	var means []net.Means
	for _, o := range runs {
		first, last := min(o.CutAfter(warm), o.Cuts()-2), o.Cuts()-1
		for b := range max(batches, 1) {
			from := first + (last-first)*b/max(batches, 1)
			to := first + (last-first)*(b+1)/max(batches, 1)
			means = append(means, o.Between(from, to))
		}
	}
	return means
}

// measure turns the runs of a point into estimates.
func measure(p *net.Program, runs []*net.Observation, warm int, o Options) *Measures {
	means, level := stretches(runs, warm, o.Batches), o.Level
	over := func(value func(net.Means) float64) stats.Interval {
		values := make([]float64, len(means))
		for i, m := range means {
			values[i] = value(m)
		}
		return stats.Student(values, level)
	}
	quantile := func(q float64) stats.Interval {
		values := make([]float64, len(runs))
		for i, o := range runs {
			values[i] = o.Quantile(q)
		}
		return stats.Student(values, level)
	}
	m := &Measures{
		X:     over(func(m net.Means) float64 { return m.X }),
		R:     over(func(m net.Means) float64 { return m.R }),
		N:     over(func(m net.Means) float64 { return m.N }),
		Power: over(func(m net.Means) float64 { return m.X / m.R }),
		P50:   quantile(0.5), P90: quantile(0.9), P99: quantile(0.99),
	}
	for i, name := range p.Probes() {
		m.Probes = append(m.Probes, Named{name, over(func(m net.Means) float64 { return m.Probes[i] })})
	}
	for i, name := range p.Places() {
		of := func(value func(net.PlaceMeans) float64) stats.Interval {
			return over(func(m net.Means) float64 { return value(m.Places[i]) })
		}
		m.Places = append(m.Places, PlaceMeasures{
			Name: name, Queue: p.HasQueue(i),
			Population: of(func(p net.PlaceMeans) float64 { return p.Population }),
			Busy:       of(func(p net.PlaceMeans) float64 { return p.Busy }),
			Throughput: of(func(p net.PlaceMeans) float64 { return p.In }),
			Lost:       of(func(p net.PlaceMeans) float64 { return p.Lost }),
		})
	}
	m.Little = m.N.Mean/(m.X.Mean*m.R.Mean) - 1
	return m
}

// grows applies the growth test to the runs of a point.
func grows(runs []*net.Observation) (bool, stats.Interval) {
	early, late := make([]float64, len(runs)), make([]float64, len(runs))
	for i, o := range runs {
		last := o.Cuts() - 1
		at := func(share float64) int { return int(math.Round(share * float64(last))) }
		early[i] = o.Between(at(stats.EarlyFrom), at(stats.EarlyTo)).N
		late[i] = o.Between(at(stats.LateFrom), last).N
	}
	return stats.Growth(early, late)
}

// memory is the correlation between successive parts of a run, the mean over
// the runs, in standard errors above what independent parts have. A tenth is a
// part; of a single run, a fiftieth.
func memory(runs []*net.Observation, warm int) (correlation, surprise float64) {
	parts := 10
	if len(runs) == 1 {
		parts = 50
	}
	for _, o := range runs {
		_, c := stats.BatchMeans(o.Responses[min(warm/o.Batch, len(o.Responses)):], parts, 0.95)
		correlation += c / float64(len(runs))
	}
	k := float64(parts)
	return correlation, (correlation + 1/k) * math.Sqrt(k*float64(len(runs)))
}

// Beyond shortRuns standard errors the empty start of a run may still bias its
// mean, whatever was cut off as warm-up. Beyond endlessRuns, and a correlation of
// endlessMemory, runs cannot be told from those of a critical load (about 0.45,
// while 0.97 of capacity has 0.0 at 50,000 departures), so without a known
// capacity they prove nothing.
const (
	shortRuns     = 2.5
	endlessRuns   = 4
	endlessMemory = 0.3
)

// littleTolerance is how far N may be from X·R: tokens that are there at both
// ends of a run count in N but not all in R.
const littleTolerance = 0.05

// warn notes what makes a usable point suspicious.
func (pt *Point) warn(settled, growing bool, correlation, surprise float64) {
	m := pt.Measures
	if surprise > shortRuns {
		pt.Warnings = append(pt.Warnings, fmt.Sprintf("successive parts of a run still depend on each other (correlation %.2f): the runs are too short, and their empty start may bias the means", correlation))
	}
	if !settled {
		pt.Warnings = append(pt.Warnings, "the warm-up reaches into half of the run: it is too short")
	}
	if growing {
		pt.Warnings = append(pt.Warnings, "the population still grew at the end, below capacity: the run is too short")
	}
	for _, e := range []Named{{"X", m.X}, {"R", m.R}, {"N", m.N}, {"power", m.Power}} {
		if e.Half > math.Abs(e.Mean) {
			pt.Warnings = append(pt.Warnings, fmt.Sprintf("the interval of %s is wider than its mean (%.3g ± %.2g): more replications, or longer ones", e.Name, e.Mean, e.Half))
		}
	}
	if math.Abs(m.Little) > littleTolerance {
		pt.Warnings = append(pt.Warnings, fmt.Sprintf("N differs from X·R by %.1f %%: the run is too short", 100*m.Little))
	}
}
