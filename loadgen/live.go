package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/experiment"
	"edgebench/loadgen/live"
	"edgebench/monitor"
)

// liveFlags are what the command line says of who may look on.
type liveFlags struct{ page string }

func (l *liveFlags) add(f *pflag.FlagSet) {
	f.StringVar(&l.page, "live", "", "serve a live page on HOST:PORT, :0 for a free port of 127.0.0.1; its address is printed")
}

// A liveRun shows a run to browsers while it goes on. The zero value shows
// nothing to nobody.
type liveRun struct {
	feed   *live.Feed
	server *live.Server
}

// open begins to serve, before there is anything to see: an address that cannot
// be had is told before the run.
func (l *liveFlags) open(stop *stopper, out io.Writer) (*liveRun, error) {
	if l.page == "" {
		return &liveRun{}, nil
	}
	feed := live.NewFeed()
	server := &live.Server{Shows: []live.Show{{Feed: feed}}, Stop: func() { stop.ask("stopped from the live page") }}
	return &liveRun{feed, server}, serveShows(server, "live", l.page, out)
}

// serveShows begins to serve what a flag asked for, and prints where.
func serveShows(server *live.Server, flag, address string, out io.Writer) error {
	listener, err := live.Listen(address)
	if err != nil {
		return exitError{exitUsage, fmt.Errorf("--%s %w", flag, err)}
	}
	server.Serve(listener)
	fmt.Fprintf(out, "live page  %s\n", server.URL(listener))
	return nil
}

// watch makes the run tell what it does.
func (l *liveRun) watch(c *experiment.Config) {
	if l.feed == nil {
		return
	}
	before := c.Progress
	c.Begun = func(m *rundir.Manifest) { l.feed.Begin(m, "") }
	c.Event = l.feed.Event
	c.Progress = func(s experiment.Status) {
		before(s)
		l.second(s)
	}
}

func (l *liveRun) second(s experiment.Status) {
	l.feed.SoFar(int64(s.ResponseP50), int64(s.ResponseP99), int64(s.LagP99))
	l.feed.Second(s.Last)
	if row := s.Sampled; row.Unix != 0 {
		l.feed.Memory(&rundir.MonitorRow{
			TNS: int64(row.At), Workers: rundir.Number{Value: float64(row.Workers), Known: row.Node},
			PSSBytes: numberOf(row.PSS), RSSBytes: numberOf(row.RSS), CPUShare: numberOf(row.CPUShare),
		})
	}
	l.feed.Flush()
}

func numberOf[T int64 | float64](n monitor.Null[T]) rundir.Number {
	return rundir.Number{Value: float64(n.V), Known: n.Valid}
}

// end tells how the run ended and stops serving.
func (l *liveRun) end(o *experiment.Outcome, err error) {
	if l.feed == nil {
		return
	}
	switch {
	case o != nil:
		l.feed.End(string(o.Summary.Verdict), "kept in "+o.Dir)
	case errors.Is(err, experiment.ErrUnreachable):
		l.feed.End("", "the target cannot be reached")
	default:
		l.feed.End("", "there is no result; the terminal says why")
	}
	l.server.Close()
}
