package rundir

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
)

func TestTimeseriesRoundTrip(t *testing.T) {
	t.Parallel()
	want := []Interval{
		{Second: 0, Scheduled: 30, Sent: 30, OK: 10, InFlight: 20, LagP99NS: 9000, LagMaxNS: 11000, ResponseP50NS: 5, ResponseP90NS: 6, ResponseP99NS: 7, ResponseMaxNS: 8},
		{Second: 1},
		{Second: 2, OK: 19, Errors: 1, Dropped: 3, Cold: 4, ResponseP50NS: 1, ResponseP90NS: 1, ResponseP99NS: 1, ResponseMaxNS: 1},
	}
	d := mustCreate(t, t.TempDir(), "x")
	w, err := d.Timeseries()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range want {
		if err := w.Write(v); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var got []Interval
	notes, err := ReadTimeseries(d.Path(), func(v Interval) error { got = append(got, v); return nil })
	if err != nil || notes != (ReadNotes{Rows: 3}) {
		t.Errorf("%+v, %v", notes, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMonitorColumnsByName(t *testing.T) {
	t.Parallel()
	d := mustCreate(t, t.TempDir(), "x")
	w, err := d.Monitor([]string{"workers", "later_column", "t_ns", "pss_bytes", "cpu_seconds"})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"3,x,-5,1000,0.25", "4,y,1000000000,,0.5", "4,nan,2000000000,NaN,0.5", "5,z,3000000000,9"} {
		if err := w.WriteLine([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var got []MonitorRow
	notes, err := ReadMonitor(d.Path(), func(r *MonitorRow) error { got = append(got, *r); return nil })
	if err == nil || !strings.Contains(err.Error(), "monitor.csv:5: 4 fields, expected 5") {
		t.Errorf("short row: %v", err)
	}
	want := []MonitorRow{
		{TNS: -5, Workers: Number{3, true}, PSSBytes: Number{1000, true}, CPUSeconds: Number{0.25, true}},
		{TNS: 1e9, Workers: Number{4, true}, CPUSeconds: Number{0.5, true}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if notes.NaNRows != 1 || notes.Rows != 2 {
		t.Errorf("notes %+v", notes)
	}
}

func TestTextFilesTornAndDamaged(t *testing.T) {
	t.Parallel()
	timeseries := func(dir string) (ReadNotes, error) {
		return ReadTimeseries(dir, func(Interval) error { return nil })
	}
	events := func(dir string) (ReadNotes, error) { return ReadEvents(dir, func(*Event) error { return nil }) }
	const head = "second,scheduled,sent,ok\n"
	tests := []struct {
		name, file, text string
		read             func(string) (ReadNotes, error)
		rows             uint64
		torn, err        string
	}{
		{"timeseries empty", TimeseriesFile, "", timeseries, 0, "empty file", ""},
		{"timeseries header torn", TimeseriesFile, "second,sche", timeseries, 0, "line 1 is torn", ""},
		{"timeseries torn", TimeseriesFile, head + "0,1,1,1\n1,2", timeseries, 1, "line 3 is torn", ""},
		{"timeseries middle", TimeseriesFile, head + "0,1\n1,2,2,2\n", timeseries, 0, "", "timeseries.csv:2: 2 fields, expected 4"},
		{"timeseries text", TimeseriesFile, head + "0,1,one,1\n", timeseries, 0, "", `timeseries.csv:2: sent: "one"`},
		{"timeseries column", TimeseriesFile, "second,scheduled,ok\n", timeseries, 0, "", "no column sent"},
		{"events torn", EventsFile, `{"unix_ns":1,"event":"a"}` + "\n" + `{"unix_ns":2,"ev`, events, 1, "line 2 is torn", ""},
		{"events middle", EventsFile, `{"unix_ns":1,"ev` + "\n" + `{"unix_ns":2}` + "\n", events, 0, "", "events.jsonl:1:"},
		{"events empty", EventsFile, "", events, 0, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, tt.file), []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
			notes, err := tt.read(dir)
			if (tt.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			if notes.Rows != tt.rows || !strings.Contains(notes.Torn, tt.torn) || (tt.torn == "") != (notes.Torn == "") {
				t.Errorf("%+v, want %d rows, torn %q", notes, tt.rows, tt.torn)
			}
		})
	}
}

func TestTotalsRoundTrip(t *testing.T) {
	t.Parallel()
	m := NewManifest(ProducerLoadgen, time.Unix(1_790_000_000, 123_456_789))
	m.Phases = []PhaseFact{
		{Name: "warm, up", Cycle: 1, LengthNS: 8e9}, // a comma and a space: no hlog tag as it is
		{Name: "idle", Cycle: 1, StartNS: 8e9, LengthNS: 8e9},
		{Name: "warm, up", Cycle: 2, StartNS: 16e9, LengthNS: 8e9},
		{Name: "", Cycle: 3, StartNS: 24e9, LengthNS: 8e9},
	}
	m.Functions = []string{"a b", "silent", "ü,1"}
	accounts := NewAccounts(m, 0)
	for i, s := range mixedSamples(4000) {
		if i%4 == 1 {
			continue
		}
		s.Phase, s.Function = int32(i%4), int32(i%2*2)
		if err := accounts.Add(&s); err != nil {
			t.Fatal(err)
		}
	}
	d := mustCreate(t, t.TempDir(), "x")
	if err := d.WriteTotals(m, Accounts{Phases: accounts.Phases[:1], Functions: accounts.Functions}); err == nil {
		t.Error("one tally for four phases was written")
	}
	if err := d.WriteTotals(m, accounts); err != nil {
		t.Fatal(err)
	}
	got, err := ReadTotals(d.Path(), m)
	if err != nil {
		t.Fatal(err)
	}
	if err := ReadHistograms(d.Path(), m, got); err != nil {
		t.Fatal(err)
	}
	checkSameTallies(t, "phase", accounts.Phases, got.Phases)
	checkSameTallies(t, "function", accounts.Functions, got.Functions)
	checkForeignReader(t, filepath.Join(d.Path(), HistogramsFile))
	checkTotalsFaults(t, d.Path(), m)
}

func checkSameTallies(t *testing.T, what string, want, got []Tally) {
	t.Helper()
	for i := range want {
		wanted, _ := json.Marshal(&want[i])
		have, _ := json.Marshal(&got[i])
		if string(wanted) != string(have) {
			t.Errorf("%s %d: %s\ncame back as %s", what, i, wanted, have)
		}
		for _, metric := range metrics {
			a, b := metric.of(&want[i]), metric.of(&got[i])
			if !a.HDR().Equals(b.HDR()) || a.Quantile(0.99) != b.Quantile(0.99) {
				t.Errorf("%s %d: %s came back with other counters", what, i, metric.name)
			}
		}
	}
}

func TestAccountsRefuseWhatTheRunDoesNotHave(t *testing.T) {
	t.Parallel()
	m := NewManifest(ProducerLoadgen, time.Unix(0, 0))
	m.Phases, m.Functions = make([]PhaseFact, 2), []string{"a", "b"}
	a := NewAccounts(m, time.Second)
	for text, s := range map[string]Sample{"of phase 2": {Phase: 2}, "of phase -1": {Phase: -1}, "of function 2": {Phase: 1, Function: 2}} {
		if err := a.Add(&s); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if Sum(a.Phases).Scheduled != 0 || a.Functions[1].ColdThreshold != time.Second {
		t.Errorf("a refused request was counted, or a function has no threshold: %+v", a)
	}
}

// checkForeignReader reads the log with the library alone: tags, and the start
// of each interval to the millisecond.
func checkForeignReader(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	log := hdr.NewHistogramLogReader(f)
	starts := map[string]int64{}
	for {
		h, err := log.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		starts[h.Tag()] = h.StartTimeMs()
	}
	const zero = 1_790_000_000_123 // the reader adds the log's start time
	want := map[string]int64{}
	for _, metric := range []string{"lag", "connect_wait", "service", "response", "failed"} {
		want[metric+".fn.a+b"] = zero
		want[metric+".fn.%C3%BC%2C1"] = zero
		want[metric+".1.warm%2C+up"] = zero
		want[metric+".2.warm%2C+up"] = zero + 16_000
		want[metric+".3."] = zero + 24_000
	}
	for tag, start := range want {
		// The library keeps seconds as a float: a millisecond may be one off.
		if got := starts[tag]; got < start-1 || got > start+1 {
			t.Errorf("tag %q starts at %d ms, want %d", tag, got, start)
		}
	}
	if len(starts) != len(want) {
		t.Errorf("%d tags, want %d", len(starts), len(want))
	}
}

func checkTotalsFaults(t *testing.T, dir string, m *Manifest) {
	t.Helper()
	fewer := *m
	fewer.Phases = m.Phases[:3]
	if _, err := ReadTotals(dir, &fewer); err == nil || !strings.Contains(err.Error(), "4 phases and 3 functions, the manifest has 3 and 3") {
		t.Errorf("fewer phases: %v", err)
	}
	other := *m
	other.Functions = []string{"a b", "else", "ü,1"}
	if _, err := ReadTotals(dir, &other); err == nil || !strings.Contains(err.Error(), `function 1 is "silent", the manifest has "else"`) {
		t.Errorf("another function: %v", err)
	}
	path := filepath.Join(dir, HistogramsFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// Without its last line, as after a copy that was cut short.
	cut := strings.LastIndex(strings.TrimSuffix(string(data), "\n"), "\n")
	if err := os.WriteFile(path, data[:cut+1], 0o644); err != nil {
		t.Fatal(err)
	}
	accounts, err := ReadTotals(dir, m)
	if err != nil {
		t.Fatal(err)
	}
	if err := ReadHistograms(dir, m, accounts); err == nil || !strings.Contains(err.Error(), `no histogram "failed.fn.%C3%BC%2C1"`) {
		t.Errorf("histogram missing: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, TotalsFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadTotals(dir, m); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no totals: %v", err)
	}
}

func FuzzReadTable(f *testing.F) {
	f.Add([]byte("t_ns,workers,pss_bytes\n1,2,3\n,,\n4,NaN,1e9\n"))
	f.Add([]byte("workers,t_ns\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, MonitorFile), text, 0o644); err != nil {
			t.Fatal(err)
		}
		rows := uint64(0)
		notes, err := ReadMonitor(dir, func(*MonitorRow) error { rows++; return nil })
		if err == nil && notes.Rows != rows {
			t.Errorf("%d rows delivered, notes say %d", rows, notes.Rows)
		}
	})
}

func FuzzManifestAndTotals(f *testing.F) {
	f.Add([]byte(`{"schema_version":1,"phases":[{"name":"a","cycle":1,"tally":{}}]}`))
	f.Add([]byte(`{"schema_version":1,"phases":[{"name":"a","cycle":1}]}`))
	f.Add([]byte(`{"schema_version":1,"phases":[{"name":"a","cycle":1,"tally":{}}],"functions":[{"name":"f","tally":{}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, _ = parseManifest("fuzz", text)
		_, _ = parseTotals(text, &Manifest{Phases: []PhaseFact{{Name: "a", Cycle: 1}}, Functions: []string{"f"}})
		_, _ = readEvents("fuzz", strings.NewReader(string(text)), func(*Event) error { return nil })
	})
}
