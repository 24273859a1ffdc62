package analysis

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"edgebench/analysis/rundir"
)

func TestResources(t *testing.T) {
	t.Parallel()
	number := func(v float64) rundir.Number { return rundir.Number{Value: v, Known: true} }
	sum := resourceSum{until: 10}
	for _, row := range []rundir.MonitorRow{
		{TNS: -1e9, CPUSeconds: number(5), SamplerCPUSeconds: number(1)}, // the base of what grows
		{TNS: 0, PSSBytes: number(100), Workers: number(1), CPUSeconds: number(5.5), SamplerCPUSeconds: number(1)},
		{TNS: 1e9, PSSBytes: number(100), Workers: number(1), CPUSeconds: number(6)},
		{TNS: 2e9, Workers: number(3)}, // PSS unknown: its neighbours span the gap
		{TNS: 3e9, PSSBytes: number(300), Workers: number(3)},
		{TNS: 4e9, PSSBytes: number(300), Workers: number(3)},
		{TNS: 8e9, PSSBytes: number(300), Workers: number(3), CPUSeconds: number(9), SamplerCPUSeconds: number(1.4)},
		{TNS: 11e9, PSSBytes: number(9999), Workers: number(99), CPUSeconds: number(99)}, // after the end
	} {
		sum.add(&row)
	}
	// PSS: 100 for 1 s, 100→300 over 2 s, 300 for 5 s = 100 + 400 + 1500 over 8 s.
	want := Resources{
		PSSMeanBytes: new(int64(250)), PSSMaxBytes: new(int64(300)), PSSByteSeconds: new(2000.0),
		CPUSeconds: new(4.0), WorkersMean: new(2.625), WorkersMax: new(int64(3)),
		SamplerCPUShare: new(0.05), SampledSeconds: new(8.0), RowsMissing: 3,
	}
	got := sum.resources()
	got.SamplerCPUShare = new(float64(int(*got.SamplerCPUShare*1e9+0.5)) / 1e9)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The sampler's first row comes shortly before the schedule starts, and its
// second may be late: what lies between belongs to the run all the same.
func TestResourcesCountTheStartOfARun(t *testing.T) {
	t.Parallel()
	number := func(v float64) rundir.Number { return rundir.Number{Value: v, Known: true} }
	sum := resourceSum{until: 10}
	for _, row := range []rundir.MonitorRow{
		{TNS: -20e6, PSSBytes: number(100), Workers: number(2)},
		{TNS: 2e9, PSSBytes: number(300), Workers: number(4)},
		{TNS: 3e9, PSSBytes: number(300), Workers: number(4)},
	} {
		sum.add(&row)
	}
	got := sum.resources()
	// 100 → 300 over 2 s and 300 for 1 s: 700 byte-seconds in 3 s.
	if *got.PSSByteSeconds != 700 || *got.SampledSeconds != 3 || *got.WorkersMean != 10.0/3 {
		t.Errorf("%v byte-seconds in %v s, %v workers; want 700 in 3, 3.33", *got.PSSByteSeconds, *got.SampledSeconds, *got.WorkersMean)
	}
}
func TestStoppedRunRates(t *testing.T) {
	t.Parallel()
	f := newFixture(1)
	f.manifest.Interruption, f.manifest.StoppedNS = "SIGINT", 18e9
	kept := f.samples[:0]
	for _, s := range f.samples {
		if s.Scheduled < 18e9 {
			kept = append(kept, s)
		}
	}
	f.samples = kept
	s, err := Summarize(f.write(t, t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	// 10 of the ramp's 30 s: 2 → 11.3/s, 67 requests.
	if got := *s.Phases[1].Rate.OfferedRPS; got < 6.5 || got > 6.9 {
		t.Errorf("ramp offered %.2f/s, want 6.7 over the part that was played", got)
	}
	if s.Phases[2].Rate.OfferedRPS != nil {
		t.Errorf("a phase that never began has the rate %v", *s.Phases[2].Rate.OfferedRPS)
	}
	if s.Counts.Planned <= s.Counts.Scheduled || s.Counts.Dropped != 0 {
		t.Errorf("counts %+v", s.Counts)
	}
}
