package analysis

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"edgebench/analysis/rundir"
)

func TestKilledProducer(t *testing.T) {
	t.Parallel()
	d := newFixture(1).draft(t, t.TempDir())
	run := d.Path()
	for _, name := range []string{rundir.TotalsFile, rundir.HistogramsFile} {
		if err := os.Remove(filepath.Join(run, name)); err != nil {
			t.Fatal(err)
		}
	}
	// Nothing was closed: what the files hold is what was flushed, if anything.
	s, err := Summarize(run)
	if err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(s.Warnings, "\n"); s.Verdict != Partial || !strings.Contains(all, "totals.json is missing") {
		t.Errorf("verdict %s, warnings %q", s.Verdict, all)
	}
	if err := os.Remove(filepath.Join(run, rundir.SamplesFile)); err != nil {
		t.Fatal(err)
	}
	s, err = Summarize(run)
	if err != nil || s.Verdict != Partial || s.Counts.Scheduled != 0 {
		t.Errorf("without rows: %+v, %v", s.Counts, err)
	}
	if err := d.Discard(); err != nil {
		t.Fatal(err)
	}
}

func TestRowsAloneGiveTheSameNumbers(t *testing.T) {
	t.Parallel()
	dir := newFixture(2).write(t, t.TempDir())
	want, _ := summaryJSON(t, dir)
	if err := os.Remove(filepath.Join(dir, rundir.TotalsFile)); err != nil {
		t.Fatal(err)
	}
	got, _ := summaryJSON(t, dir)
	if diff := cmp.Diff(want.Phases, got.Phases); diff != "" {
		t.Errorf("(-totals +rows):\n%s", diff)
	}
}

func TestLostRequestIsALoudError(t *testing.T) {
	t.Parallel()
	f := newFixture(1)
	d := f.draft(t, t.TempDir())
	accounts := f.accounts()
	tallies := accounts.Phases
	tallies[1].Add(&f.samples[0]) // counted, but no row of it
	if err := d.WriteTotals(f.manifest, accounts); err != nil {
		t.Fatal(err)
	}
	dir, err := d.Seal()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Summarize(dir); !errors.Is(err, rundir.ErrConservation) || !strings.Contains(err.Error(), `"ramp" of cycle 1`) {
		t.Errorf("got %v", err)
	}
	tallies[1].Scheduled++ // does not even reconcile with itself
	if err := os.Remove(filepath.Join(dir, rundir.SamplesFile)); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, rundir.TotalsFile))
	if err != nil {
		t.Fatal(err)
	}
	broken := strings.Replace(string(data), `"scheduled": 481`, `"scheduled": 482`, 1)
	if broken == string(data) {
		t.Fatal("no phase of 481 in totals.json")
	}
	if err := os.WriteFile(filepath.Join(dir, rundir.TotalsFile), []byte(broken), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Summarize(dir); !errors.Is(err, rundir.ErrConservation) {
		t.Errorf("got %v", err)
	}
}

func TestNotARun(t *testing.T) {
	t.Parallel()
	if _, err := Summarize(t.TempDir()); !errors.Is(err, rundir.ErrNotARun) {
		t.Errorf("got %v", err)
	}
	f := newFixture(1)
	f.samples[5].Phase = 99
	f.samples = f.samples[:6]
	d, err := rundir.Create(t.TempDir(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.WriteManifest(f.manifest); err != nil {
		t.Fatal(err)
	}
	if err := f.writeSamples(d); err != nil {
		t.Fatal(err)
	}
	dir, err := d.Seal()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Summarize(dir); err == nil || !strings.Contains(err.Error(), "request 5 is of phase 99") {
		t.Errorf("got %v", err)
	}
}
