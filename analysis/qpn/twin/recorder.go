package twin

import (
	"errors"
	"strconv"
	"time"

	"edgebench/analysis/rundir"
	"edgebench/target/pool"
)

// A recorder writes what happens in a world to a draft. The first error is kept
// and told by finish: the world goes on without it, in milliseconds.
type recorder struct {
	draft    *rundir.Draft
	manifest *rundir.Manifest
	accounts rundir.Accounts
	seconds  []second
	samples  *rundir.SampleWriter
	events   *rundir.LineWriter
	monitor  *rundir.LineWriter
	err      error
}

// A second is what timeseries.csv says of one.
type second struct {
	counts    rundir.Interval
	lag       rundir.Distribution
	responses rundir.Distribution
}

func newRecorder(draft *rundir.Draft, m *rundir.Manifest) (*recorder, error) {
	r := &recorder{draft: draft, manifest: m, accounts: rundir.NewAccounts(m, time.Duration(m.ColdThresholdNS))}
	var errs [3]error
	r.samples, errs[0] = draft.Samples()
	r.events, errs[1] = draft.Events()
	r.monitor, errs[2] = draft.Monitor([]string{"t_ns", "workers"})
	return r, errors.Join(errs[:]...)
}

func (r *recorder) keep(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *recorder) answered(s *rundir.Sample) {
	r.keep(r.accounts.Add(s))
	r.keep(r.samples.WriteSamples([]rundir.Sample{*s}))
	sent := &r.at(s.Scheduled).counts
	sent.Scheduled++
	sent.Sent++
	r.at(s.Scheduled).lag.Add(s.Sent - s.Scheduled)
	if s.Outcome == rundir.OpenAtEnd {
		return
	}
	done := r.at(s.Done)
	if s.Outcome != rundir.OK {
		done.counts.Errors++
		return
	}
	done.counts.OK++
	done.responses.Add(s.Done - s.Scheduled)
	if s.Path.Cold() {
		done.counts.Cold++
	}
}

// at is the second of an instant, made when first used.
func (r *recorder) at(ns int64) *second {
	i := int(ns / int64(time.Second))
	for len(r.seconds) <= i {
		r.seconds = append(r.seconds, second{counts: rundir.Interval{Second: int64(len(r.seconds))}})
	}
	return &r.seconds[i]
}

func (r *recorder) decided(now time.Duration, p *pool.Pool) {
	d := p.LastDecision()
	name := "decision"
	if d.Alarm != "" {
		name = "alarm"
	}
	r.keep(r.events.WriteJSON(map[string]any{
		"unix_ns": r.manifest.StartedUnixNS + now.Nanoseconds(), "event": name, "reason": d.Alarm,
		"target": d.Target, "floor": d.Floor, "rate_rps": d.Rate, "baseline_rps": d.Baseline, "cusum": d.Sum,
	}))
}

// second writes the workers of an instant: what the monitor of a live run counts.
func (r *recorder) second(now time.Duration, p *pool.Pool) {
	s := p.State()
	workers := s.Idle + s.Busy + s.OneOffs
	line := strconv.AppendInt(nil, now.Nanoseconds(), 10)
	line = append(line, ',')
	r.keep(r.monitor.WriteLine(strconv.AppendInt(line, int64(workers), 10)))
}

func (r *recorder) finish(profile []byte) error {
	series, err := r.draft.Timeseries()
	r.keep(err)
	if err != nil {
		return r.err
	}
	inFlight := int64(0)
	for i := range r.seconds {
		s := &r.seconds[i]
		inFlight += s.counts.Sent - s.counts.OK - s.counts.Errors
		s.counts.InFlight = inFlight
		s.counts.LagP99NS, s.counts.LagMaxNS = s.lag.Quantile(0.99), s.lag.Max
		s.counts.ResponseP50NS, s.counts.ResponseP90NS = s.responses.Quantile(0.5), s.responses.Quantile(0.9)
		s.counts.ResponseP99NS, s.counts.ResponseMaxNS = s.responses.Quantile(0.99), s.responses.Max
		r.keep(series.Write(s.counts))
	}
	r.keep(r.draft.WriteProfile(profile))
	r.keep(r.draft.WriteTotals(r.manifest, r.accounts))
	r.keep(r.draft.WriteManifest(r.manifest))
	for _, t := range r.accounts.All() {
		r.keep(t.Check())
	}
	return r.err
}
