package experiment

import (
	"errors"

	"edgebench/analysis/rundir"
	"edgebench/monitor"
	"edgebench/profiles"
)

// files are the streams of a run directory while the run goes on.
type files struct {
	samples *rundir.SampleWriter
	series  *rundir.TimeseriesWriter
	monitor *rundir.LineWriter
	events  *rundir.LineWriter
}

// open creates them all and writes what is known before the run, so that a run
// that is killed still tells what it was.
func (f *files) open(d *rundir.Draft, m *rundir.Manifest, p *profiles.Profile) error {
	m.Limits = map[string]any{}
	errs := []error{d.WriteManifest(m), d.WriteProfile(p.YAML())}
	keep := func(err error) { errs = append(errs, err) }
	var err error
	f.samples, err = d.Samples()
	keep(err)
	f.series, err = d.Timeseries()
	keep(err)
	f.monitor, err = d.Monitor(monitor.Columns())
	keep(err)
	f.events, err = d.Events()
	keep(err)
	return errors.Join(errs...)
}

// finish closes the streams and writes the totals and the final manifest.
func (f *files) finish(d *rundir.Draft, m *rundir.Manifest, accounts rundir.Accounts) error {
	return errors.Join(
		f.samples.Close(), f.series.Close(), f.monitor.Close(), f.events.Close(),
		d.WriteTotals(m, accounts), d.WriteManifest(m),
	)
}
