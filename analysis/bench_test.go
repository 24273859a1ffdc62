package analysis

import (
	"testing"
	"time"

	"edgebench/analysis/rundir"
)

// BenchmarkSummarize reads a run of a million requests.
func BenchmarkSummarize(b *testing.B) {
	const requests = 1_000_000
	f := newFixture(4)
	base := f.samples
	f.samples = make([]rundir.Sample, 0, requests)
	for i := range requests {
		s := base[i%len(base)]
		s.Index = uint64(i)
		f.samples = append(f.samples, s)
	}
	dir := f.write(b, b.TempDir())
	b.ReportAllocs()
	for b.Loop() {
		s, err := Summarize(dir)
		if err != nil || s.Counts.Scheduled != requests {
			b.Fatal(s, err)
		}
	}
	b.ReportMetric(float64(b.N)*requests/b.Elapsed().Seconds(), "rows/s")
}

// Ten thousand phases must be summed up in bounded memory.
func TestManyPhases(t *testing.T) {
	t.Parallel()
	f := newFixture(2000)
	f.noSeries = true
	kept := f.samples[:0]
	for i, s := range f.samples {
		if i%20 == 0 {
			kept = append(kept, s)
		}
	}
	f.samples = kept
	dir := f.write(t, t.TempDir())
	began := time.Now()
	s, err := Summarize(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d phases, %d requests: %v", len(s.Phases), s.Counts.Scheduled, time.Since(began))
	if len(s.Phases) != 10_000 || s.Counts.Scheduled == 0 || len(s.Measured) != 1 || len(s.Measured[0].Cycles) != 2000 {
		t.Errorf("%d phases, %d requests, %d measured", len(s.Phases), s.Counts.Scheduled, len(s.Measured))
	}
}
