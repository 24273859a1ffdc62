package twin

import (
	"context"
	"path/filepath"
	"testing"

	"edgebench/analysis/rundir"
	"edgebench/profiles"
)

func load(t testing.TB, name string) *profiles.Profile {
	t.Helper()
	p, err := profiles.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRecordWritesARunDirectoryThatReconciles(t *testing.T) {
	t.Parallel()
	dir, err := Trial{Profile: load(t, "bursty-ramp"), Phase: -1}.Record(context.Background(), t.TempDir(), "test", []string{"loadgen", "sim"})
	if err != nil {
		t.Fatal(err)
	}
	run, err := rundir.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !run.Sealed || run.Manifest.Producer != rundir.ProducerTwin || run.Manifest.Planned != 2794 {
		t.Errorf("sealed %v, producer %q, planned %d", run.Sealed, run.Manifest.Producer, run.Manifest.Planned)
	}
	accounts, err := rundir.ReadTotals(dir, run.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	total := rundir.Sum(accounts.Phases)
	rows := rundir.Tally{ColdThreshold: total.ColdThreshold}
	if _, err := rundir.ReadSamples(dir, func(s *rundir.Sample) error { rows.Add(s); return nil }); err != nil {
		t.Fatal(err)
	}
	if rows.OK() != 2794 || rows.Cold != total.Cold || rows.Response.Max != total.Response.Max {
		t.Errorf("rows say ok %d, cold %+v, max %d; totals ok %d, cold %+v, max %d",
			rows.OK(), rows.Cold, rows.Response.Max, total.OK(), total.Cold, total.Response.Max)
	}
	seconds := int64(0)
	var scheduled, ok int64
	if _, err := rundir.ReadTimeseries(dir, func(v rundir.Interval) error {
		seconds++
		scheduled, ok = scheduled+v.Scheduled, ok+v.OK
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if scheduled != 2794 || ok != 2794 || seconds < 300 {
		t.Errorf("timeseries: %d scheduled and %d ok in %d seconds", scheduled, ok, seconds)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), ".partial-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestATargetOfSomebodyElseHasNoTwin(t *testing.T) {
	t.Parallel()
	p := load(t, "bursty-ramp")
	p.Target = profiles.Target{URL: "http://127.0.0.1:1/"}
	if _, err := (Trial{Profile: p}).World(); err != ErrNotBundled {
		t.Errorf("error %v, want %v", err, ErrNotBundled)
	}
}

// The fixed chart's cold starts are a matter of the tick phase; worker-node.md
// gives 19 ± 6 over 60 phases with a range of 0 to 84 for another model of it.
func TestTickPhaseDecidesTheFixedChart(t *testing.T) {
	t.Parallel()
	counts := map[uint64]bool{}
	p := load(t, "bursty-ramp")
	for seed := range uint64(20) {
		p.Seed = seed + 1
		trial := Trial{Profile: p, Phase: -1}
		w, err := trial.World()
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.Schedule()
		if err != nil {
			t.Fatal(err)
		}
		counts[play(t, w, s).Cold.Truth] = true
	}
	if len(counts) < 4 {
		t.Errorf("20 tick phases gave only the counts %v", counts)
	}
}
