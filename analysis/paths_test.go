package analysis

import (
	"errors"
	"slices"
	"testing"

	"edgebench/analysis/rundir"
)

// TestPathTimes counts the rows of each path again, in another way.
func TestPathTimes(t *testing.T) {
	t.Parallel()
	f := newFixture(2)
	dir := f.write(t, t.TempDir())
	s, err := Summarize(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.PathTimes) == 0 {
		t.Fatal("no times by path")
	}
	run := map[string]uint64{"warm": s.Paths.Warm, "queued": s.Paths.Queued, "fresh": s.Paths.Fresh, "fallback": s.Paths.Fallback}
	phases := map[string]bool{}
	for _, p := range s.PathTimes {
		phases[p.Phase] = true
		var response, service []int64
		for i := range f.samples {
			x := &f.samples[i]
			if x.Outcome == rundir.OK && x.Path.String() == p.Path && (p.Phase == "" || f.manifest.Phases[x.Phase].Name == p.Phase) {
				response, service = append(response, x.Done-x.Scheduled), append(service, x.Done-x.Sent)
			}
		}
		if p.Phase == "" && p.OK != run[p.Path] {
			t.Errorf("%s: %d ok, the counters say %d", p.Path, p.OK, run[p.Path])
		}
		if p.OK != uint64(len(response)) || p.Sampled() {
			t.Errorf("%q %s: %d ok, %d with a row, want %d", p.Phase, p.Path, p.OK, p.Response.N, len(response))
			continue
		}
		if *p.Response.MaxNS != slices.Max(response) || *p.Response.MinNS != slices.Min(response) || *p.Service.MaxNS != slices.Max(service) {
			t.Errorf("%q %s: %d to %d, service up to %d", p.Phase, p.Path, *p.Response.MinNS, *p.Response.MaxNS, *p.Service.MaxNS)
		}
	}
	if len(phases) != 1+len(s.Measured) {
		t.Errorf("times of %v, want of the run and of %d measured phases", phases, len(s.Measured))
	}
}

// Where rows are missing for a known reason, the times are of those that are there
// and the counts of all.
func TestPathTimesOfSampledRows(t *testing.T) {
	t.Parallel()
	f := newFixture(2)
	f.manifest.RowsSkipped, f.noRows = 500, 500
	s, err := Summarize(f.write(t, t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	sampled := false
	var ok uint64
	for _, p := range s.PathTimes {
		sampled = sampled || p.Sampled()
		if p.Phase == "" {
			ok += p.OK
		}
	}
	if !sampled || ok != s.Paths.Marked() {
		t.Errorf("sampled %v, %d answers on paths of %d marked", sampled, ok, s.Paths.Marked())
	}
}

func TestAccountOfAPath(t *testing.T) {
	t.Parallel()
	f := newFixture(1)
	dir := f.write(t, t.TempDir())
	s, warm, err := SummarizePart(dir, Part{Path: "warm"})
	if err != nil || warm.Counts.OK != s.Paths.Warm || warm.Response.N != s.Paths.Warm || warm.Cold.Truth != nil {
		t.Errorf("%+v, %v", warm, err)
	}
	for _, wrong := range []Part{{Path: "wram"}, {Path: "warm", Phase: "nowhere"}} {
		if _, _, err := SummarizePart(dir, wrong); !errors.Is(err, ErrNoPart) {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}
