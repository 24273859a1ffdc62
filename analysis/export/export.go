// Package export writes the requests of a run for other programs, as CSV or
// Parquet: one row a request, names where the run directory has numbers, every
// instant and every time spelled out. It streams: memory does not grow with the
// run. What was not measured is empty, or null.
package export

import (
	"fmt"
	"path/filepath"

	"edgebench/analysis/rundir"
)

// A Row is one request. Instants are ns on the run's clock, whose zero is the
// start of the schedule; times are ns.
type Row struct {
	Index       int64  `parquet:"index,delta"`
	Phase       string `parquet:"phase,dict"`
	Cycle       int32  `parquet:"cycle"`
	Function    string `parquet:"function,dict"` // empty where the run has one
	Outcome     string `parquet:"outcome,dict"`
	Drop        string `parquet:"drop,dict"` // reason, for dropped
	Path        string `parquet:"path,dict"` // by the node's mark, empty without
	Cold        *bool  `parquet:"cold,optional"`
	Status      *int32 `parquet:"status,optional"`
	ScheduledNS int64  `parquet:"scheduled_ns,delta"`
	SentNS      *int64 `parquet:"sent_ns,optional"`
	DoneNS      *int64 `parquet:"done_ns,optional"`
	LagNS       *int64 `parquet:"lag_ns,optional"`
	ConnectNS   *int64 `parquet:"connect_wait_ns,optional"`
	ServiceNS   *int64 `parquet:"service_ns,optional"`
	ResponseNS  *int64 `parquet:"response_ns,optional"`
	Bytes       int64  `parquet:"received_bytes"`
	Worker      *int64 `parquet:"worker,optional"`
	QueueNS     *int64 `parquet:"node_queue_wait_ns,optional"`
	StartNS     *int64 `parquet:"node_start_wait_ns,optional"`
	InsideNS    *int64 `parquet:"node_service_ns,optional"`
}

// A sink takes rows one after the other; a row is valid until write returns.
type sink interface {
	write(*Row) error
	close() error
}

// rows sends every request of a run to a sink, and says what the run's file
// did not tell.
func rows(dir string, to sink) (rundir.ReadNotes, error) {
	m, err := rundir.ReadManifest(dir)
	if err != nil {
		return rundir.ReadNotes{}, err
	}
	var r filler
	notes, err := rundir.ReadSamples(dir, func(s *rundir.Sample) error {
		if int(s.Phase) >= len(m.Phases) || len(m.Functions) > 0 && int(s.Function) >= len(m.Functions) {
			return rundir.Unreadable(fmt.Errorf("%s: request %d is of phase %d and function %d, the manifest has %d and %d",
				filepath.Join(dir, rundir.SamplesFile), s.Index, s.Phase, s.Function, len(m.Phases), len(m.Functions)))
		}
		return to.write(r.fill(m, s))
	})
	if err != nil {
		return notes, err
	}
	return notes, to.close()
}

// A filler holds one row and what its pointers point at, so that a row costs no
// allocation.
type filler struct {
	row    Row
	cold   bool
	status int32
	ns     [10]int64
}

func (f *filler) fill(m *rundir.Manifest, s *rundir.Sample) *Row {
	p := m.Phases[s.Phase]
	f.row = Row{
		Index: int64(s.Index), Phase: p.Name, Cycle: int32(p.Cycle), Outcome: s.Outcome.String(), Drop: s.Drop.String(),
		Path: s.Path.String(), ScheduledNS: s.Scheduled, Bytes: s.Bytes,
	}
	if len(m.Functions) > 0 {
		f.row.Function = m.Functions[s.Function]
	}
	if truth := s.ColdTruth(); truth != rundir.MarkNone {
		f.cold = truth == rundir.MarkYes
		f.row.Cold = &f.cold
	}
	if s.Status > 0 {
		f.status = int32(s.Status)
		f.row.Status = &f.status
	}
	sent := s.Outcome != rundir.Dropped
	answered := sent && s.Outcome != rundir.OpenAtEnd
	told := s.Path != rundir.PathUnknown // a node of ours, whose zeros are measured
	for i, c := range [...]struct {
		into  **int64
		value int64
		known bool
	}{
		{&f.row.SentNS, s.Sent, sent}, {&f.row.LagNS, s.Lag(), sent}, {&f.row.ConnectNS, s.ConnectWaitNS, sent},
		{&f.row.DoneNS, s.Done, answered}, {&f.row.ServiceNS, s.Done - s.Sent, answered}, {&f.row.ResponseNS, s.Done - s.Scheduled, answered},
		{&f.row.Worker, s.Worker, told}, {&f.row.QueueNS, s.QueueWaitNS, told}, {&f.row.StartNS, s.StartWaitNS, told}, {&f.row.InsideNS, s.ServiceNS, told},
	} {
		if c.known {
			f.ns[i] = c.value
			*c.into = &f.ns[i]
		}
	}
	return &f.row
}
