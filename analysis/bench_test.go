package analysis

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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

// BenchmarkTenMillion summarizes a row log of ten million requests of 20,000/s,
// each with times of its own, and tells the largest resident size meanwhile.
func BenchmarkTenMillion(b *testing.B) {
	const requests, inBatch = 10_000_000, 10_000
	rng := rand.New(rand.NewPCG(3, 14))
	f := newFixture(1)
	f.samples, f.noSeries = nil, true
	f.manifest.Phases = []rundir.PhaseFact{{Name: "load", Cycle: 1, Kind: "constant", Measure: "cold", LengthNS: 500e9, Planned: requests, FromRPS: 20_000, ToRPS: 20_000}}
	f.manifest.DurationNS, f.manifest.ElapsedNS, f.manifest.Planned = 500e9, 501e9, requests
	d := f.draft(b, b.TempDir())
	if err := os.Remove(filepath.Join(d.Path(), rundir.SamplesFile)); err != nil {
		b.Fatal(err)
	}
	w, err := d.Samples()
	if err != nil {
		b.Fatal(err)
	}
	accounts := rundir.NewAccounts(f.manifest, fixtureThreshold)
	batch := make([]rundir.Sample, inBatch)
	for first := 0; first < requests; first += inBatch {
		for i := range batch {
			s := rundir.Sample{Index: uint64(first + i), Status: 200, Scheduled: int64(first+i) * 50_000, Bytes: 231, Worker: rng.Int64N(64), Path: rundir.PathWarm}
			s.Sent = s.Scheduled + 4_000 + int64(rng.ExpFloat64()*20_000)
			if rng.IntN(50) == 0 {
				s.Path, s.StartWaitNS = rundir.PathFresh, 300_000_000
			}
			s.ServiceNS = 5_000_000 + rng.Int64N(900_000)
			s.Done = s.Sent + s.StartWaitNS + s.ServiceNS + int64(rng.ExpFloat64()*200_000)
			batch[i] = s
			if err := accounts.Add(&s); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.WriteSamples(batch); err != nil {
			b.Fatal(err)
		}
	}
	if err := d.WriteTotals(f.manifest, accounts); err != nil {
		b.Fatal(err)
	}
	dir, err := d.Seal()
	if err != nil {
		b.Fatal(err)
	}
	// 5 makes the kernel forget the largest size so far (proc(5), clear_refs).
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s, err := Summarize(dir)
		if err != nil || s.Counts.Scheduled != requests {
			b.Fatal(s, err)
		}
	}
	b.ReportMetric(float64(b.N)*requests/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(largestMiB(b), "MiB-resident")
}

// largestMiB is VmHWM of this process.
func largestMiB(b *testing.B) float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		b.Fatal(err)
	}
	return kib / 1024
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
