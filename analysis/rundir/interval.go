package rundir

import (
	"fmt"
	"path/filepath"
	"strconv"
)

// An Interval is one second of a run as the generator saw it. Counts belong to
// the second in which the thing happened: a request scheduled in second 3 and
// answered in second 5 counts once in each.
type Interval struct {
	Second    int64 // from 0; covers [Second, Second+1) s on the run's clock
	Scheduled int64
	Sent      int64
	OK        int64
	Errors    int64
	Dropped   int64
	InFlight  int64 // at the end of the second
	Cold      int64 // answers with path fresh or fallback

	// Of the requests sent in this second; without meaning when Sent is 0. A
	// latency may be Unknown.
	LagP99NS, LagMaxNS int64
	// Of the answers of this second; without meaning when OK is 0.
	ResponseP50NS, ResponseP90NS, ResponseP99NS, ResponseMaxNS int64
}

// Unknown is a latency of an Interval that nobody can tell any more.
const Unknown = -1 << 63

const intervalColumns = "second,scheduled,sent,ok,errors,dropped,in_flight,cold," +
	"lag_p99_ns,lag_max_ns,response_p50_ns,response_p90_ns,response_p99_ns,response_max_ns"

// A TimeseriesWriter writes timeseries.csv, one row a second.
type TimeseriesWriter struct{ lines *LineWriter }

// Timeseries opens timeseries.csv of the draft.
func (d *Draft) Timeseries() (*TimeseriesWriter, error) {
	w, err := d.lines(TimeseriesFile)
	if err != nil {
		return nil, err
	}
	return &TimeseriesWriter{w}, w.WriteLine([]byte(intervalColumns))
}

// Write appends one second. Latencies of a second without any stay empty.
func (w *TimeseriesWriter) Write(v Interval) error {
	b := make([]byte, 0, 256)
	for _, n := range []int64{v.Second, v.Scheduled, v.Sent, v.OK, v.Errors, v.Dropped, v.InFlight, v.Cold} {
		b = strconv.AppendInt(b, n, 10)
		b = append(b, ',')
	}
	b = appendKnown(b, v.Sent > 0, v.LagP99NS, v.LagMaxNS)
	b = appendKnown(b, v.OK > 0, v.ResponseP50NS, v.ResponseP90NS, v.ResponseP99NS, v.ResponseMaxNS)
	b[len(b)-1] = '\n'
	return w.lines.WriteLine(b)
}

// appendKnown writes each value and a comma, or only the commas.
func appendKnown(b []byte, known bool, values ...int64) []byte {
	for _, n := range values {
		if known && n != Unknown {
			b = strconv.AppendInt(b, n, 10)
		}
		b = append(b, ',')
	}
	return b
}

// Close ends the file and tells the first error it ever had.
func (w *TimeseriesWriter) Close() error { return w.lines.Close() }

// ReadTimeseries calls each for every second of timeseries.csv. They follow each
// other without a gap, but for rows that were skipped because of NaN. A latency
// that is missing is Unknown.
func ReadTimeseries(dir string, each func(Interval) error) (ReadNotes, error) {
	next, skipped := int64(0), uint64(0)
	return readTable(filepath.Join(dir, TimeseriesFile), []string{"second", "scheduled", "sent", "ok"}, func(t *table) error {
		v := Interval{
			LagP99NS: Unknown, LagMaxNS: Unknown,
			ResponseP50NS: Unknown, ResponseP90NS: Unknown, ResponseP99NS: Unknown, ResponseMaxNS: Unknown,
		}
		if err := t.integers(
			intColumn{"second", &v.Second}, intColumn{"scheduled", &v.Scheduled}, intColumn{"sent", &v.Sent},
			intColumn{"ok", &v.OK}, intColumn{"errors", &v.Errors}, intColumn{"dropped", &v.Dropped},
			intColumn{"in_flight", &v.InFlight}, intColumn{"cold", &v.Cold},
			intColumn{"lag_p99_ns", &v.LagP99NS}, intColumn{"lag_max_ns", &v.LagMaxNS},
			intColumn{"response_p50_ns", &v.ResponseP50NS}, intColumn{"response_p90_ns", &v.ResponseP90NS},
			intColumn{"response_p99_ns", &v.ResponseP99NS}, intColumn{"response_max_ns", &v.ResponseMaxNS},
		); err != nil {
			return err
		}
		gap := v.Second - next
		if gap < 0 || uint64(gap) > t.lines.notes.NaNRows-skipped {
			return t.lines.fault("second", t.text("second"), fmt.Sprintf("expected %d", next))
		}
		next, skipped = v.Second+1, t.lines.notes.NaNRows
		if v.Sent == 0 {
			v.LagP99NS, v.LagMaxNS = 0, 0
		}
		if v.OK == 0 {
			v.ResponseP50NS, v.ResponseP90NS, v.ResponseP99NS, v.ResponseMaxNS = 0, 0, 0, 0
		}
		return each(v)
	})
}
