package merge

import (
	"fmt"
	"time"

	"edgebench/analysis/rundir"
)

// secondRows are the latencies of one second, from the rows that ended or were
// sent in it: quantiles of parts do not add, their values do.
type secondRows struct{ lag, response rundir.Distribution }

// series adds timeseries.csv of the parts second by second.
type series struct {
	seconds []rundir.Interval
	rows    []secondRows // by second
	whole   bool         // every request of every part has its row; else quantiles of the union are not known
}

// addSeconds reads the series of all parts.
func addSeconds(parts []*part) (*series, error) {
	s := &series{whole: true}
	for _, p := range parts {
		m := p.run.Manifest
		s.whole = s.whole && m.RowsLost+m.RowsSkipped == 0 && p.run.Has(rundir.SamplesFile)
		if err := s.read(p); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *series) read(p *part) error {
	_, err := rundir.ReadTimeseries(p.run.Dir, func(v rundir.Interval) error {
		if v.Second < 0 || v.Second > int64(len(s.seconds)) {
			return fmt.Errorf("%s: %s: second %d follows after %d of them", p.run.Dir, rundir.TimeseriesFile, v.Second, len(s.seconds))
		}
		if v.Second == int64(len(s.seconds)) {
			s.seconds = append(s.seconds, rundir.Interval{Second: v.Second})
		}
		sum := &s.seconds[v.Second]
		sum.Scheduled += v.Scheduled
		sum.Sent += v.Sent
		sum.OK += v.OK
		sum.Errors += v.Errors
		sum.Dropped += v.Dropped
		sum.InFlight += v.InFlight
		sum.Cold += v.Cold
		sum.LagMaxNS = max(sum.LagMaxNS, v.LagMaxNS)
		sum.ResponseMaxNS = max(sum.ResponseMaxNS, v.ResponseMaxNS)
		return nil
	})
	return err
}

// add takes a row, at the second in which each thing happened.
func (s *series) add(row *rundir.Sample) {
	if !s.whole || row.Outcome == rundir.Dropped {
		return
	}
	s.at(row.Sent).lag.Add(row.Lag())
	if row.Outcome == rundir.OK {
		s.at(row.Done).response.Add(row.Done - row.Scheduled)
	}
}

func (s *series) at(ns int64) *secondRows {
	second := int(max(ns, 0) / int64(time.Second))
	for len(s.rows) <= second {
		s.rows = append(s.rows, secondRows{})
	}
	return &s.rows[second]
}

// write writes the union's series.
func (s *series) write(d *rundir.Draft) error {
	w, err := d.Timeseries()
	if err != nil {
		return err
	}
	for i, v := range s.seconds {
		v.LagP99NS, v.ResponseP50NS, v.ResponseP90NS, v.ResponseP99NS = rundir.Unknown, rundir.Unknown, rundir.Unknown, rundir.Unknown
		if i < len(s.rows) {
			r := &s.rows[i]
			if r.lag.N > 0 {
				v.LagP99NS = r.lag.Quantile(0.99)
			}
			if r.response.N > 0 {
				v.ResponseP50NS, v.ResponseP90NS, v.ResponseP99NS = r.response.Quantile(0.5), r.response.Quantile(0.9), r.response.Quantile(0.99)
			}
		}
		if err := w.Write(v); err != nil {
			return err
		}
	}
	return nil
}
