package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"edgebench/analysis/plain"
	"edgebench/analysis/rundir"
	"edgebench/loadgen/experiment"
	"edgebench/loadgen/live"
	"edgebench/loadgen/metrics"
	"edgebench/loadgen/metrics/otlp"
	"edgebench/monitor"
)

// liveFlags are what the command line says of who may look on.
type liveFlags struct{ page, metrics, otlp string }

func (l *liveFlags) add(f *pflag.FlagSet) {
	f.StringVar(&l.page, "live", "", "serve a live page, and /metrics, on HOST:PORT; :0 is a free port of 127.0.0.1; its address is printed")
	f.StringVar(&l.metrics, "metrics", "", "serve /metrics alone on HOST:PORT, for a Prometheus")
	f.StringVar(&l.otlp, "otlp", "", "push the same metrics every 5 s to the OpenTelemetry collector at URL, by OTLP over HTTP; takes a build by -tags otlp")
}

// A liveRun shows a run to browsers, to a Prometheus and to a collector while it
// goes on. The zero value shows nothing to nobody.
type liveRun struct {
	feed    *live.Feed // nil without a page
	metrics metrics.Run
	head    metrics.State // what stays the same all the time
	servers []*live.Server
	pusher  *otlp.Pusher // nil without a collector
}

// open begins to serve, before there is anything to see: an address that cannot
// be had is told before the run.
func (l *liveFlags) open(stop *stopper, out io.Writer) (*liveRun, error) {
	r := new(liveRun)
	if l.page != "" {
		r.feed = live.NewFeed()
		page := &live.Server{
			Shows: []live.Show{{Feed: r.feed}}, Metrics: &r.metrics,
			Stop: func() { stop.ask("stopped from the live page") },
		}
		if err := r.serve(page, "live", l.page, out); err != nil {
			return nil, err
		}
	}
	if l.metrics != "" {
		if err := r.serve(&live.Server{Metrics: &r.metrics}, "metrics", l.metrics, out); err != nil {
			r.close()
			return nil, err
		}
	}
	if l.otlp != "" {
		warn := func(text string) { fmt.Fprintf(out, "loadgen: warning: %s\n", plain.Short(text, 400)) } // it may repeat a collector's words
		var err error
		if r.pusher, err = otlp.Open(l.otlp, version, &r.metrics, warn); err != nil {
			r.close()
			return nil, exitError{exitUsage, fmt.Errorf("--otlp: %w", err)}
		}
	}
	return r, nil
}

func (l *liveRun) serve(s *live.Server, flag, address string, out io.Writer) error {
	if err := startServer(s, flag, address, out); err != nil {
		return err
	}
	l.servers = append(l.servers, s)
	return nil
}

// startServer serves what a flag asked for, and prints where.
func startServer(s *live.Server, flag, address string, out io.Writer) error {
	listener, err := live.Listen(address)
	if err != nil {
		return exitError{exitUsage, fmt.Errorf("--%s %w", flag, err)}
	}
	s.Serve(listener)
	fmt.Fprintf(out, "%-8s %s\n", s.What(), s.URL())
	return nil
}

// watch makes the run tell what it does.
func (l *liveRun) watch(c *experiment.Config) {
	if len(l.servers) == 0 && l.pusher == nil {
		return
	}
	l.head.Version = c.Version
	before := c.Progress
	c.Begun = l.begun
	c.Progress = func(s experiment.Status) {
		before(s)
		l.second(s)
	}
	if l.feed != nil {
		c.Event = l.feed.Event
	}
}

func (l *liveRun) begun(m *rundir.Manifest) {
	l.head.Profile, l.head.Mode, l.head.Duration = m.Profile, m.Mode, float64(m.DurationNS)/1e9
	if l.feed != nil {
		l.feed.Begin(m, "")
	}
}

func (l *liveRun) second(s experiment.Status) {
	sample := sampleOf(&s.Sampled)
	m := l.head
	m.At, m.Phase, m.Cycle, m.InFlight = s.At.Seconds(), s.PhaseIndex, s.Cycle, s.InFlight
	m.Scheduled, m.Sent, m.OK, m.Errors, m.Dropped, m.Cold = s.Scheduled, s.Sent, s.OK, s.Errors, s.Dropped, s.Cold
	m.Sample, m.Distributions = sample, s.Distributions
	l.metrics.Set(m)
	if l.feed == nil {
		return
	}
	l.feed.SoFar(int64(s.ResponseP50), int64(s.ResponseP99), int64(s.LagP99))
	l.feed.Second(s.Last)
	if s.Sampled.Unix != 0 {
		l.feed.Memory(&sample)
	}
	l.feed.Flush()
}

// sampleOf is a row of the sampler as readers of monitor.csv have it.
func sampleOf(row *monitor.Row) rundir.MonitorRow {
	known := row.Unix != 0
	return rundir.MonitorRow{
		TNS: int64(row.At), Workers: rundir.Number{Value: float64(row.Workers), Known: row.Node},
		PSSBytes: numberOf(row.PSS), RSSBytes: numberOf(row.RSS), CPUShare: numberOf(row.CPUShare),
		CPUSeconds:          rundir.Number{Value: row.CPU.Seconds(), Known: row.Node},
		GeneratorCPUSeconds: rundir.Number{Value: row.GeneratorCPU.Seconds(), Known: known},
		GeneratorRSSBytes:   numberOf(row.GeneratorRSS), GeneratorOpenFiles: numberOf(row.GeneratorFiles),
	}
}

func numberOf[T int64 | float64](n monitor.Null[T]) rundir.Number {
	return rundir.Number{Value: float64(n.V), Known: n.Valid}
}

// end tells how the run ended and stops serving.
func (l *liveRun) end(o *experiment.Outcome, err error) {
	if l.feed != nil {
		switch {
		case o != nil:
			l.feed.End(string(o.Summary.Verdict), "kept in "+o.Dir)
		case errors.Is(err, experiment.ErrUnreachable):
			l.feed.End("", "the target cannot be reached")
		default:
			l.feed.End("", "there is no result; the terminal says why")
		}
	}
	l.close()
}

func (l *liveRun) close() {
	if l.pusher != nil {
		l.pusher.Close()
	}
	for _, s := range l.servers {
		s.Close()
	}
}
