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
	f := newFixture(1)
	f.noSeries, f.manifest.Phases = true, fixturePhases(2000)
	one := f.samples[0]
	f.samples = f.samples[:0]
	for i, p := range f.manifest.Phases {
		s := one
		s.Index, s.Phase = uint64(i), int32(i)
		s.Scheduled, s.Sent, s.Done = p.StartNS, p.StartNS+20_000, p.StartNS+500e6+int64(i)*1000
		f.samples = append(f.samples, s)
	}
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
