package analysis

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"edgebench/analysis/cold"
	"edgebench/analysis/rundir"
)

// C55: warm service takes 502 ms and the threshold is 500 ms: the mark counts,
// a warning tells of the mode and of what would separate, calibrate proposes it.
func TestCalibrate(t *testing.T) {
	t.Parallel()
	f := newFixture(1)
	f.noSeries = true
	f.manifest.ColdThresholdNS, f.manifest.ColdAuto = int64(500*time.Millisecond), true
	for i := range f.samples {
		s := &f.samples[i]
		service := 502*time.Millisecond + time.Duration(i%97)*20*time.Microsecond
		s.Path, s.Cold = rundir.PathWarm, rundir.MarkNo
		if i%50 == 0 {
			s.Path, s.Cold, service = rundir.PathFresh, rundir.MarkYes, service+400*time.Millisecond
		}
		s.Done = s.Sent + int64(service)
	}
	dir := f.write(t, t.TempDir())
	c, err := Calibrate(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Parts) != 2 || c.Parts[1].Phase != "spike" {
		t.Fatalf("%+v", c.Parts)
	}
	for _, p := range c.Parts {
		if p.Proposed == nil || *p.Proposed.Precision != 1 || *p.Proposed.Recall != 1 || *p.Current.FalseRate != 1 || p.Best.FalsePositive+p.Best.FalseNegative != 0 {
			t.Errorf("%q: %+v, now %+v, proposed %+v", p.Phase, p.Split, p.Current, p.Proposed)
		}
		if at := time.Duration(p.Proposed.ThresholdNS); at < 505*time.Millisecond || at > 902*time.Millisecond {
			t.Errorf("%q: %v", p.Phase, at)
		}
	}
	s, err := Summarize(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(s.Warnings, "\n")
	if !strings.Contains(all, "phase spike: the cold threshold 500ms lies inside a mode") || !strings.Contains(all, "would separate two crowds") {
		t.Errorf("warnings %s", all)
	}
	if diff := cmp.Diff(c.Parts, s.ColdAuto, cmpopts.IgnoreUnexported(cold.Split{})); diff != "" || *s.ColdAuto[1].Above != c.Parts[1].Cold {
		t.Errorf("the summary has another split:\n%s", diff)
	}
	if *s.Measured[0].All.Cold.Truth != c.Parts[1].Cold {
		t.Errorf("truth %d in the summary, %d here", *s.Measured[0].All.Cold.Truth, c.Parts[1].Cold)
	}
}

// C32: runs of no request, of one, of errors alone give valid JSON, with null
// for what is not there.
func TestCalibrateNextToNothing(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(*fixture){
		"no request":  func(f *fixture) { f.samples = nil },
		"one request": func(f *fixture) { f.samples = f.samples[:1] },
		"only errors": func(f *fixture) {
			for i := range f.samples {
				f.samples[i].Outcome, f.samples[i].Status, f.samples[i].Path = rundir.ErrReset, 0, rundir.PathUnknown
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(1)
			f.noSeries = true
			cut(f)
			dir := f.write(t, t.TempDir())
			c, err := Calibrate(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range c.Parts {
				if p.Split.ThresholdNS != nil || p.Proposed != nil || p.Split.Why == "" {
					t.Errorf("%+v", p)
				}
			}
			if _, err := json.Marshal(c); err != nil {
				t.Error(err)
			}
			s, err := Summarize(dir)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := json.Marshal(s); err != nil || strings.Contains(string(text), "NaN") {
				t.Errorf("%v %s", err, text)
			}
		})
	}
}
