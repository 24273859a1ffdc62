package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mixedSamples are rows of every outcome, drop reason, path and mark.
func mixedSamples(n int) []Sample {
	rng := rand.New(rand.NewPCG(1, 2))
	samples := make([]Sample, n)
	for i := range samples {
		s := Sample{
			Index:     uint64(i),
			Phase:     int32(i / 500),
			Outcome:   Outcome(i % int(NumOutcomes)),
			Scheduled: int64(i) * 1_000_000,
			Path:      Path(rng.IntN(int(NumPaths))),
			Cold:      Mark(rng.IntN(3)),
		}
		switch s.Outcome {
		case Dropped:
			s.Drop = DropReason(1 + rng.IntN(int(NumDropReasons)-1))
		case OpenAtEnd:
			s.Sent = s.Scheduled + rng.Int64N(1e6)
			s.ConnectWaitNS = rng.Int64N(s.Sent - s.Scheduled + 1)
		default:
			s.Status = 200
			s.Sent = s.Scheduled + rng.Int64N(1e6)
			s.ConnectWaitNS = max(0, rng.Int64N(2e6)-1e6) % (s.Sent - s.Scheduled + 1) // half wait for none
			s.Function = int32(rng.IntN(3))
			s.Done = s.Sent + rng.Int64N(1e9)
			s.Bytes = rng.Int64N(1e5)
			s.Worker = rng.Int64N(64)
			s.QueueWaitNS, s.StartWaitNS, s.ServiceNS = rng.Int64N(1e9), rng.Int64N(1e9), rng.Int64N(1e9)
		}
		samples[i] = s
	}
	return samples
}

// writeSamples puts samples through the real writer into a draft and returns its path.
func writeSamples(t testing.TB, samples []Sample) string {
	t.Helper()
	d, err := Create(t.TempDir(), "rows")
	if err != nil {
		t.Fatal(err)
	}
	w, err := d.Samples()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteSamples(samples); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return d.Path()
}

func collect(into *[]Sample) func(*Sample) error {
	return func(s *Sample) error {
		*into = append(*into, *s)
		return nil
	}
}

func TestSamplesRoundTrip(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 100_000} {
		want := mixedSamples(n)
		dir := writeSamples(t, want)
		got := make([]Sample, 0, n)
		notes, err := ReadSamples(dir, collect(&got))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(ReadNotes{Rows: uint64(n)}, notes); diff != "" {
			t.Errorf("n = %d: notes (-want +got):\n%s", n, diff)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("n = %d: samples (-want +got):\n%s", n, diff)
		}
	}
}

func TestTruncatedSamplesKeepWhatWasFlushed(t *testing.T) {
	t.Parallel()
	d, err := Create(t.TempDir(), "killed")
	if err != nil {
		t.Fatal(err)
	}
	w, err := d.Samples()
	if err != nil {
		t.Fatal(err)
	}
	samples := mixedSamples(3000)
	if err := w.WriteSamples(samples[:1000]); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	// What is on disk now is what a kill -9 would leave, at the latest.
	path := filepath.Join(d.Path(), SamplesFile)
	flushed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteSamples(samples[1000:]); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, length := range []int{len(flushed), len(flushed) + 1, len(flushed) + 100, len(whole) - 1} {
		if err := os.WriteFile(path, whole[:length], 0o644); err != nil {
			t.Fatal(err)
		}
		var got []Sample
		notes, err := ReadSamples(d.Path(), collect(&got))
		if err != nil {
			t.Fatalf("cut at %d of %d: %v", length, len(whole), err)
		}
		if len(got) < 1000 || notes.Torn == "" {
			t.Errorf("cut at %d of %d: %d rows, torn %q; want at least the 1000 flushed ones, and a note", length, len(whole), len(got), notes.Torn)
		}
		if diff := cmp.Diff(samples[:len(got)], got); diff != "" {
			t.Errorf("cut at %d: (-want +got):\n%s", length, diff)
		}
	}
}

func TestDamagedSamplesAreAnError(t *testing.T) {
	t.Parallel()
	dir := writeSamples(t, mixedSamples(5000))
	path := filepath.Join(dir, SamplesFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 0xff
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSamples(dir, func(*Sample) error { return nil }); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a flipped byte gives %v, want an error naming %s", err, path)
	}
}

func TestReadSampleRows(t *testing.T) {
	t.Parallel()
	const (
		ok   = "7,0,ok,,warm,no,200,1000,20,5000,123,3,,,4000,1,600"
		drop = "8,0,dropped,late,,,,2000,,,,,,,,,"
		open = "9,0,open_at_end,,,,,3000,50,,,,,,,,"
	)
	tests := []struct {
		name, text string
		rows, nan  uint64
		torn, err  string // substrings
	}{
		{"three outcomes", ok + "\n" + drop + "\n" + open + "\n", 3, 0, "", ""},
		{"nothing", "", 0, 0, "", ""},
		{"torn last line", ok + "\n" + drop[:20], 1, 0, `line 3 is torn: "8,0,dropped,late,,,,"`, ""},
		{"last line whole but for its newline", ok + "\n" + drop, 1, 0, "line 3 is torn", ""},
		{"torn middle line", ok[:20] + "\n" + ok + "\n", 0, 0, "", `rows:2: scheduled_ns: "": not a whole`},
		{"nan", strings.Replace(ok, "5000", "NaN", 1) + "\n" + ok + "\n", 1, 1, "", ""},
		{"nan in a row broken elsewhere", strings.Replace(ok, "5000", "NaN", 1) + ",1\n", 0, 1, "", "more than 17 columns"},
		{"infinity", strings.Replace(ok, "5000", "+Inf", 1) + "\n", 0, 0, "", `rows:2: response_ns: "+Inf": not a whole number`},
		{"unknown outcome", strings.Replace(ok, "ok", "fine", 1) + "\n", 0, 0, "", `outcome: "fine"`},
		{"unknown path", strings.Replace(ok, "warm", "tepid", 1) + "\n", 0, 0, "", `path: "tepid"`},
		{"response of a dropped request", "8,0,dropped,late,,,,2000,,5,,,,,,,\n", 0, 0, "", "response_ns: \"5\": must be empty"},
		{"negative index", "-1,0,ok,,,,200,1,1,1,,,,,,,\n", 0, 0, "", `index: "-1": outside`},
		{"number of 25 digits", strings.Replace(ok, "5000", strings.Repeat("9", 25), 1) + "\n", 0, 0, "", "not a whole number"},
		{"line without end", strings.Repeat("x", maxLine+1) + "\n", 0, 0, "", "line longer than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			notes, err := readSamples("rows", strings.NewReader(sampleColumns+"\n"+tt.text), func(*Sample) error { return nil })
			switch {
			case tt.err == "" && err != nil, tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
				t.Fatalf("error %v, want %q", err, tt.err)
			case tt.err != "":
				return
			}
			if notes.Rows != tt.rows || notes.NaNRows != tt.nan || !strings.Contains(notes.Torn, tt.torn) || (tt.torn == "") != (notes.Torn == "") {
				t.Errorf("%+v, want rows %d, nan %d, torn %q", notes, tt.rows, tt.nan, tt.torn)
			}
		})
	}
}

func TestReadSamplesWithoutHeader(t *testing.T) {
	t.Parallel()
	notes, err := readSamples("rows", strings.NewReader(""), nil)
	if err != nil || notes.Torn != "empty file" {
		t.Errorf("empty file: %+v, %v", notes, err)
	}
	if _, err := readSamples("rows", strings.NewReader("a,b\n"), nil); err == nil || !strings.Contains(err.Error(), `rows:1: columns "a,b"`) {
		t.Errorf("other columns: %v", err)
	}
}

func TestReaderReturnsTheCallersError(t *testing.T) {
	t.Parallel()
	stop := errors.New("stop")
	dir := writeSamples(t, mixedSamples(10))
	if _, err := ReadSamples(dir, func(*Sample) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}

func TestWriteSamplesDoesNotAllocate(t *testing.T) {
	samples := mixedSamples(1000)
	var row []byte
	allocs := testing.AllocsPerRun(100, func() {
		row = row[:0]
		for i := range samples {
			row = appendSample(row, &samples[i])
		}
	})
	if allocs > 0.5 { // the first run grows row
		t.Errorf("%v allocations for %d rows", allocs, len(samples))
	}
}

// FuzzReadSamples: whatever is read is written again to the same text.
func FuzzReadSamples(f *testing.F) {
	var b []byte
	for _, s := range mixedSamples(40) {
		b = appendSample(b, &s)
	}
	f.Add(b)
	f.Add([]byte("1,2,ok,,nan,,,NaN,,,,,,,\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		header := []byte(sampleColumns + "\n")
		var first []Sample
		if _, err := readSamples("fuzz", bytes.NewReader(append(header, text...)), collect(&first)); err != nil {
			return
		}
		rows := []byte(sampleColumns + "\n")
		for i := range first {
			rows = appendSample(rows, &first[i])
		}
		var second []Sample
		if _, err := readSamples("again", bytes.NewReader(rows), collect(&second)); err != nil {
			t.Fatalf("own rows refused: %v\n%s", err, rows)
		}
		if diff := cmp.Diff(first, second); diff != "" {
			t.Error(diff)
		}
	})
}

// benchmarkSamples resemble a real run: even arrivals, node marks on each.
func benchmarkSamples(n int) []Sample {
	rng := rand.New(rand.NewPCG(3, 4))
	samples := make([]Sample, n)
	for i := range samples {
		at := int64(i) * 50_000
		sent := at + 20_000 + rng.Int64N(100_000)
		service := 500_000_000 + rng.Int64N(3_000_000)
		samples[i] = Sample{
			Index: uint64(i), Status: 200, Path: PathWarm, Cold: MarkNo, Scheduled: at, Sent: sent,
			Done: sent + service + rng.Int64N(500_000), Bytes: 212, Worker: rng.Int64N(32), ServiceNS: service,
		}
	}
	return samples
}

func BenchmarkSampleWriter(b *testing.B) {
	samples := benchmarkSamples(1 << 16)
	d, err := Create(b.TempDir(), "bench")
	if err != nil {
		b.Fatal(err)
	}
	w, err := d.Samples()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := w.WriteSamples(samples); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(d.Path(), SamplesFile))
	if err != nil {
		b.Fatal(err)
	}
	rows := float64(b.N * len(samples))
	b.ReportMetric(rows/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64(info.Size())/rows, "bytes/row")
}

func BenchmarkAppendSample(b *testing.B) {
	samples := benchmarkSamples(1 << 12)
	var row []byte
	for b.Loop() {
		row = row[:0]
		for i := range samples {
			row = appendSample(row, &samples[i])
		}
	}
	b.ReportMetric(float64(b.N*len(samples))/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64(len(row))/float64(len(samples)), "bytes/row")
}

func BenchmarkReadSamples(b *testing.B) {
	const rows = 1 << 18
	dir := writeSamples(b, benchmarkSamples(rows))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		if _, err := ReadSamples(dir, func(*Sample) error { n++; return nil }); err != nil || n != rows {
			b.Fatal(fmt.Errorf("%d rows: %w", n, err))
		}
	}
	b.ReportMetric(float64(b.N*rows)/b.Elapsed().Seconds(), "rows/s")
}
