package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"edgebench/analysis/rundir"
)

// A fixture is a synthetic run: the four cycles of bursty-ramp against a toy
// node, written through the real writers. Its numbers mean nothing; that they
// are the same every time does.
type fixture struct {
	manifest *rundir.Manifest
	samples  []rundir.Sample
	workers  []int // by second
	alarms   []time.Duration
	stepped  [2]int64 // instant at which the real-time clock was set, and by how much; 0 for never
	noRows   int      // this many requests have no row
	noSeries bool     // leaves timeseries.csv out
}

const (
	fixtureService   = 500 * time.Millisecond
	fixtureWait      = 300 * time.Millisecond
	fixtureThreshold = 700 * time.Millisecond
)

func newFixture(cycles int) *fixture {
	f := &fixture{manifest: rundir.NewManifest(rundir.ProducerLoadgen, time.Unix(1_796_017_500, 250_000_000))}
	m := f.manifest
	m.Versions = map[string]string{"loadgen": "v0.0.0-fixture", "target": "v0.0.0-fixture"}
	m.Argv = []string{"loadgen", "run", "bursty-ramp.yaml", "--policy", "ewma"}
	m.Profile, m.Mode, m.Target, m.Seed = "bursty-ramp", "ewma", "http://127.0.0.1:40001/invoke", 1
	m.ScheduleHash, m.ProfileHash, m.Clock = "0f1e2d3c", "4b5a6978", "CLOCK_MONOTONIC"
	m.ColdThresholdNS = int64(fixtureThreshold)
	m.Limits = map[string]any{"max_in_flight": 1000, "open_files": 4096}
	m.Host = map[string]any{"kernel": "6.1.0", "cpu": "synthetic", "cores": 2}
	m.Node = []byte(`{"policy":{"name":"ewma","decisions":150,"decide_p50_ns":210,"decide_p99_ns":1900}}`)
	m.Phases = fixturePhases(cycles)
	last := m.Phases[len(m.Phases)-1]
	m.DurationNS = last.StartNS + last.LengthNS
	m.ElapsedNS = m.DurationNS + int64(20*time.Millisecond)
	f.play()
	return f
}

func fixturePhases(cycles int) []rundir.PhaseFact {
	var phases []rundir.PhaseFact
	start := int64(0)
	for cycle := 1; cycle <= cycles; cycle++ {
		warmup := 35 * time.Second
		if cycle == 1 {
			warmup = 8 * time.Second
		}
		for _, p := range []struct {
			name, kind, measure string
			from, to            float64
			length              time.Duration
		}{
			{"warmup", "constant", "", 2, 2, warmup},
			{"ramp", "ramp", "", 2, 30, 30 * time.Second},
			{"spike", "constant", "cold", 30, 30, 5 * time.Second},
			{"cooldown", "constant", "", 2, 2, 6 * time.Second},
			{"drain", "idle", "", 0, 0, 8 * time.Second},
		} {
			phases = append(phases, rundir.PhaseFact{
				Name: p.name, Cycle: cycle, Kind: p.kind, Measure: p.measure, FromRPS: p.from, ToRPS: p.to,
				StartNS: start, LengthNS: int64(p.length), Planned: uint64(math.Round((p.from + p.to) / 2 * p.length.Seconds())),
			})
			start += int64(p.length)
		}
	}
	return phases
}

// instant is when arrival k of a phase is due: the inverse of its rate integral.
func instant(p rundir.PhaseFact, k float64) time.Duration {
	seconds := float64(p.LengthNS) / 1e9
	slope := (p.ToRPS - p.FromRPS) / seconds
	at := k / p.FromRPS
	if slope != 0 {
		at = (math.Sqrt(p.FromRPS*p.FromRPS+2*slope*k) - p.FromRPS) / slope
	}
	return time.Duration(p.StartNS) + time.Duration(at*1e9)
}

// play serves every arrival by the toy node: a smoothed rate sizes the pool, a
// request that has waited long enough gets a worker of its own.
func (f *fixture) play() {
	rng := rand.New(rand.NewPCG(11, 13))
	free := []time.Duration{0, 0}
	headroom := [4]float64{1.3, 1.3, 1.12, 1.06} // by cycle modulo 4, so that cycles differ
	smoothed, window, tick := 2.0, 0.0, 2*time.Second
	for i, p := range f.manifest.Phases {
		for k := range p.Planned {
			at := instant(p, float64(k))
			for ; tick <= at; tick += 2 * time.Second {
				if window/2-smoothed > 6 {
					f.alarms = append(f.alarms, tick)
				}
				smoothed += 0.3 * (window/2 - smoothed)
				window = 0
				free = resize(free, int(math.Ceil(smoothed*fixtureService.Seconds()*headroom[p.Cycle%4]))+1, tick)
				f.workers = append(f.workers, len(free), len(free))
			}
			window++
			f.samples = append(f.samples, serve(rng, free, uint64(len(f.samples)), int32(i), at))
		}
		f.manifest.Planned += p.Planned
	}
	for len(f.workers) < int(f.manifest.ElapsedNS/1e9)+1 {
		f.workers = append(f.workers, len(free))
	}
}

func resize(free []time.Duration, n int, now time.Duration) []time.Duration {
	for len(free) < n {
		free = append(free, now+100*time.Millisecond)
	}
	slices.Sort(free)
	for len(free) > n && free[0] <= now {
		free = free[1:]
	}
	return free
}

func serve(rng *rand.Rand, free []time.Duration, index uint64, phase int32, at time.Duration) rundir.Sample {
	next := 0
	for i := range free {
		if free[i] < free[next] {
			next = i
		}
	}
	s := rundir.Sample{Index: index, Phase: phase, Status: 200, Scheduled: int64(at), Bytes: 231, Worker: int64(next + 1), Path: rundir.PathWarm, Cold: rundir.MarkNo}
	s.Sent = s.Scheduled + 4_000 + int64(rng.ExpFloat64()*9_000)
	wait := max(free[next]-at, 0)
	switch {
	case wait > fixtureWait:
		wait = fixtureWait
		s.Path, s.Cold, s.Worker, s.StartWaitNS = rundir.PathFallback, rundir.MarkYes, 1000+int64(index), int64(wait)
	case wait > 0:
		s.Path, s.QueueWaitNS = rundir.PathQueued, int64(wait)
		fallthrough
	default:
		free[next] = at + wait + fixtureService
	}
	s.ServiceNS = int64(fixtureService) + rng.Int64N(900_000)
	s.Done = s.Sent + int64(wait) + s.ServiceNS + 150_000 + int64(rng.ExpFloat64()*200_000)
	return s
}

func (f *fixture) accounts() rundir.Accounts {
	accounts := rundir.NewAccounts(f.manifest, time.Duration(f.manifest.ColdThresholdNS))
	for i := range f.samples {
		if err := accounts.Add(&f.samples[i]); err != nil {
			panic(err)
		}
	}
	return accounts
}

// write makes a sealed run directory below parent.
func (f *fixture) write(tb testing.TB, parent string) string {
	tb.Helper()
	d := f.draft(tb, parent)
	dir, err := d.Seal()
	if err != nil {
		tb.Fatal(err)
	}
	return dir
}

func (f *fixture) draft(tb testing.TB, parent string) *rundir.Draft {
	tb.Helper()
	d, err := rundir.Create(parent, rundir.Stamp(time.Unix(0, f.manifest.StartedUnixNS)), f.manifest.Profile, f.manifest.Mode, "fixture")
	if err != nil {
		tb.Fatal(err)
	}
	steps := []func(*rundir.Draft) error{
		func(d *rundir.Draft) error { return d.WriteManifest(f.manifest) },
		func(d *rundir.Draft) error { return d.WriteProfile([]byte("name: bursty-ramp\n")) },
		f.writeSamples, f.writeTimeseries, f.writeMonitor, f.writeEvents,
		func(d *rundir.Draft) error { return d.WriteTotals(f.manifest, f.accounts()) },
	}
	for _, step := range steps {
		if err := step(d); err != nil {
			tb.Fatal(err)
		}
	}
	return d
}

func (f *fixture) writeSamples(d *rundir.Draft) error {
	w, err := d.Samples()
	if err != nil {
		return err
	}
	return w.WriteSamples(f.samples[f.noRows:])
}

func (f *fixture) writeTimeseries(d *rundir.Draft) error {
	if f.noSeries {
		return nil
	}
	w, err := d.Timeseries()
	if err != nil {
		return err
	}
	seconds := int(f.manifest.ElapsedNS/1e9) + 1
	rows := make([]rundir.Interval, seconds)
	lags, responses := make([]rundir.Distribution, seconds), make([]rundir.Distribution, seconds)
	for i := range f.samples {
		s := &f.samples[i]
		scheduled, done := s.Scheduled/1e9, min(s.Done/1e9, int64(seconds-1))
		rows[scheduled].Scheduled++
		if s.Outcome == rundir.Dropped {
			rows[scheduled].Dropped++
			continue
		}
		rows[scheduled].Sent++
		lags[scheduled].Add(s.Lag())
		if s.Outcome.IsError() {
			rows[done].Errors++
			continue
		}
		rows[done].OK++
		responses[done].Add(s.Done - s.Scheduled)
		if s.Path.Cold() {
			rows[done].Cold++
		}
		for t := scheduled; t < done; t++ {
			rows[t].InFlight++
		}
	}
	for i := range rows {
		r := &rows[i]
		r.Second = int64(i)
		r.LagP99NS, r.LagMaxNS = lags[i].Quantile(0.99), lags[i].Max
		r.ResponseP50NS, r.ResponseP90NS = responses[i].Quantile(0.5), responses[i].Quantile(0.9)
		r.ResponseP99NS, r.ResponseMaxNS = responses[i].Quantile(0.99), responses[i].Max
		if err := w.Write(*r); err != nil {
			return err
		}
	}
	return nil
}

func (f *fixture) writeMonitor(d *rundir.Draft) error {
	w, err := d.Monitor([]string{"t_ns", "workers", "processes", "missing", "rss_bytes", "pss_bytes", "cpu_seconds", "cpu_share", "sampler_cpu_seconds", "generator_cpu_seconds", "generator_rss_bytes"})
	if err != nil {
		return err
	}
	for i, n := range f.workers {
		line := fmt.Sprintf("%d,%d,%d,0,%d,%d,%.3f,%.3f,%.4f,%.3f,%d", int64(i)*1e9, n, n+2,
			(n+1)*109<<20, 103<<20+n*3<<19, float64(i)*0.011, 0.011, float64(i)*0.009, float64(i)*0.006, 14<<20)
		if err := w.WriteLine([]byte(line)); err != nil {
			return err
		}
	}
	return nil
}

func (f *fixture) writeEvents(d *rundir.Draft) error {
	w, err := d.Events()
	if err != nil {
		return err
	}
	zero, stepped := f.manifest.StartedUnixNS, f.stepped[1] == 0
	for _, p := range f.manifest.Phases {
		if !stepped && p.StartNS > f.stepped[0] {
			zero, stepped = zero+f.stepped[1], true
			if err := w.WriteJSON(map[string]any{"unix_ns": zero + f.stepped[0], "event": rundir.EventClockStep, "step_ns": f.stepped[1]}); err != nil {
				return err
			}
		}
		if err := w.WriteJSON(map[string]any{"unix_ns": zero + p.StartNS, "event": "phase_start", "phase": p.Name, "cycle": p.Cycle}); err != nil {
			return err
		}
	}
	for _, at := range f.alarms {
		if err := w.WriteJSON(map[string]any{"unix_ns": f.manifest.StartedUnixNS + int64(at), "event": "alarm", "reason": "cusum", "cusum": 9.5}); err != nil {
			return err
		}
	}
	return nil
}
