package analysis

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"edgebench/analysis/rundir"
)

// Resources is what the node cost while the schedule was played and drained.
// Means are weighted by time, so that a sampler that slowed down under load
// does not count the quiet stretches double. RSS counts a shared page once a
// process, PSS once in all. Null: not sampled.
type Resources struct {
	RSSMeanBytes    *int64   `json:"rss_mean_bytes"`
	RSSMaxBytes     *int64   `json:"rss_max_bytes"`
	PSSMeanBytes    *int64   `json:"pss_mean_bytes"`
	PSSMaxBytes     *int64   `json:"pss_max_bytes"`
	PSSByteSeconds  *float64 `json:"pss_byte_seconds"`
	CPUSeconds      *float64 `json:"cpu_seconds"`
	WorkersMean     *float64 `json:"workers_mean"`
	WorkersMax      *int64   `json:"workers_max"`
	SamplerCPUShare *float64 `json:"sampler_cpu_share"` // of one core
	SampledSeconds  *float64 `json:"sampled_seconds"`   // from the first row, or the start, to the last
	RowsMissing     uint64   `json:"rows_missing"`      // sampling instants without a row
}

// An integral is the trapezoid integral of one column, skipping unknown values.
type integral struct {
	area, seconds  float64
	last, lastTime float64
	max            float64
	n              int
}

// add takes a value at an instant; one before 0 stands for that of 0, so that
// the start of the run is in the integral.
func (a *integral) add(seconds float64, v rundir.Number) {
	if !v.Known {
		return
	}
	if seconds < 0 {
		*a = integral{last: v.Value, max: v.Value, n: 1}
		return
	}
	if a.n > 0 {
		dt := seconds - a.lastTime
		a.area += dt * (a.last + v.Value) / 2
		a.seconds += dt
	}
	a.max = max(a.max, v.Value)
	a.last, a.lastTime = v.Value, seconds
	a.n++
}

// mean is nil without a value, and the value itself when there is only one.
func (a *integral) mean() *float64 {
	switch {
	case a.n == 0:
		return nil
	case a.seconds <= 0:
		return new(a.last)
	}
	return new(a.area / a.seconds)
}

// A growth is how much a cumulative column grew over the rows in the window.
type growth struct {
	first, last float64
	n           int
}

func (g *growth) add(v rundir.Number, inside bool) {
	if !v.Known {
		return
	}
	if g.n == 0 || !inside { // the last row before the window is its base
		g.first = v.Value
	}
	g.last = v.Value
	g.n++
}

func (g *growth) value() *float64 {
	if g.n < 2 {
		return nil
	}
	return new(g.last - g.first)
}

// A resourceSum takes the rows of monitor.csv one after the other.
type resourceSum struct {
	until             float64 // s; rows after it belong to nothing that was measured
	rss, pss, workers integral
	cpu, sampler      growth
	openFiles         *int64 // most the generator had open
	firstNS, lastNS   int64
	gaps              []float64
	processes, unread float64 // of all rows with PSS, and of them those not in it
	skipped           uint64  // rows that the sampler says it left out
	rows              int
}

func (r *resourceSum) add(row *rundir.MonitorRow) {
	seconds := float64(row.TNS) / 1e9
	if seconds > r.until {
		return
	}
	inside := row.TNS >= 0
	r.cpu.add(row.CPUSeconds, inside)
	r.sampler.add(row.SamplerCPUSeconds, inside)
	if r.rows == 0 || !inside {
		r.rows, r.firstNS = 0, max(row.TNS, 0)
	} else {
		r.gaps = append(r.gaps, float64(row.TNS-r.lastNS))
	}
	r.lastNS = row.TNS
	r.rows++
	if n := row.GeneratorOpenFiles; n.Known && (r.openFiles == nil || int64(n.Value) > *r.openFiles) {
		r.openFiles = new(int64(n.Value))
	}
	if row.PSSBytes.Known {
		r.processes += row.Processes.Value
		r.unread += row.PSSMissing.Value
	}
	r.skipped += uint64(row.Skipped.Value)
	r.rss.add(seconds, row.RSSBytes)
	r.pss.add(seconds, row.PSSBytes)
	r.workers.add(seconds, row.Workers)
}

func (r *resourceSum) resources() Resources {
	out := Resources{
		RSSMeanBytes: whole(r.rss.mean()), PSSMeanBytes: whole(r.pss.mean()),
		CPUSeconds: r.cpu.value(), WorkersMean: r.workers.mean(), RowsMissing: r.missing(),
	}
	if r.rss.n > 0 {
		out.RSSMaxBytes = whole(&r.rss.max)
	}
	if r.pss.n > 0 {
		out.PSSMaxBytes = whole(&r.pss.max)
	}
	if r.pss.seconds > 0 {
		out.PSSByteSeconds = new(r.pss.area)
	}
	if r.workers.n > 0 {
		out.WorkersMax = whole(&r.workers.max)
	}
	if seconds := float64(r.lastNS-r.firstNS) / 1e9; seconds > 0 {
		out.SampledSeconds = new(seconds)
		if cost := r.sampler.value(); cost != nil {
			out.SamplerCPUShare = new(*cost / seconds)
		}
	}
	return out
}

// missing counts sampling instants without a row: those the sampler owns up to,
// else by the usual distance of two rows.
func (r *resourceSum) missing() (n uint64) {
	if r.skipped > 0 || len(r.gaps) < 3 {
		return r.skipped
	}
	usual := slices.Clone(r.gaps)
	slices.Sort(usual)
	median := usual[len(usual)/2]
	if median <= 0 {
		return 0
	}
	for _, gap := range r.gaps {
		if gap > gapFactor*median {
			n += uint64(gap/median+0.5) - 1
		}
	}
	return n
}

func whole(v *float64) *int64 {
	if v == nil {
		return nil
	}
	return new(int64(*v + 0.5))
}

func loadResources(run *rundir.Run) (*resourceSum, []string, error) {
	sum := &resourceSum{until: float64(max(run.Manifest.ElapsedNS, run.Manifest.DurationNS)) / 1e9}
	notes, err := rundir.ReadMonitor(run.Dir, func(row *rundir.MonitorRow) error {
		sum.add(row)
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return sum, nil, nil // a target of somebody else's
	}
	if err != nil {
		return nil, nil, err
	}
	warnings := notes.Warnings(rundir.MonitorFile)
	if n := sum.missing(); n > 0 {
		warnings = append(warnings, fmt.Sprintf("%s: %d sampling instants have no row (%d have); memory and CPU are interpolated there",
			rundir.MonitorFile, n, sum.rows))
	}
	if sum.unread > maxUnread*sum.processes {
		warnings = append(warnings, fmt.Sprintf("%s: PSS lacks %s of the processes: they could not be read, or had not been yet; its mean is too low",
			rundir.MonitorFile, percent(sum.unread/sum.processes)))
	}
	return sum, warnings, nil
}
