package merge

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"edgebench/analysis"
	"edgebench/analysis/qpn/twin"
	"edgebench/analysis/rundir"
	"edgebench/profiles"
)

const small = `name: small
target: {bundled: {policy: {ewma: {}}, service: 50ms, tick: 200ms, heap: 1MB, start_delay: 10ms}}
request: {method: POST, path: /invoke, timeout: 5s}
arrivals: poisson
phases:
  - {name: warmup, rate: 20/s, for: 1s}
  - {name: spike, rate: 100/s, for: 1s, measure: cold}
cold: {threshold: 70ms}
`

func record(t *testing.T, parent string, seed string, sets ...string) string {
	t.Helper()
	var parsed []profiles.Set
	for _, text := range append(sets, "seed="+seed) {
		set, err := profiles.ParseSet(text)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, set)
	}
	p, err := profiles.Parse("small.yaml", []byte(small), parsed)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := twin.Trial{Profile: p, Phase: -1}.Record(context.Background(), parent, "test", nil)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// edit changes a key of a run's manifest.
func edit(t *testing.T, dir string, change func(*rundir.Manifest)) string {
	t.Helper()
	m, err := rundir.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	change(m)
	data, err := json.Marshal(m)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, rundir.ManifestFile), data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// at makes a run a measured one that started so much later than an instant.
func at(t *testing.T, dir string, offset time.Duration) string {
	return edit(t, dir, func(m *rundir.Manifest) {
		m.Producer, m.StartedUnixNS = rundir.ProducerLoadgen, 1_796_017_500_000_000_000+int64(offset)
	})
}

// The union has all requests, its histograms are the sum of the parts', its
// rows agree with its counters, and its rate is what C41 asks for.
func TestMerge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gap     time.Duration
		seconds float64
	}{
		"one after the other": {time.Hour, 4},
		"at the same time":    {10 * time.Millisecond, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parent := t.TempDir()
			a, b := at(t, record(t, parent, "1"), 0), at(t, record(t, parent, "2"), c.gap)
			u, err := Merge([]string{b, a}, Options{Parent: parent, Version: "test"})
			if err != nil {
				t.Fatal(err)
			}
			if u.Parts[0].Dir != a || u.Seconds != c.seconds || u.Sent != u.Parts[0].Sent+u.Parts[1].Sent || *u.Rate != float64(u.Sent)/c.seconds {
				t.Errorf("%+v", u)
			}
			union, err := analysis.Summarize(u.Dir)
			if err != nil {
				t.Fatal(err)
			}
			if union.Counts.Scheduled != u.Sent || union.Counts.Planned != u.Sent || *union.Rate.SentRPS != *u.Rate {
				t.Errorf("%+v %+v, want %d sent", union.Counts, union.Rate, u.Sent)
			}
			var want rundir.Tally
			for _, dir := range []string{a, b} {
				run, err := rundir.Open(dir)
				if err != nil {
					t.Fatal(err)
				}
				accounts, _, err := analysis.ReadAccounts(run)
				if err != nil {
					t.Fatal(err)
				}
				total := rundir.Sum(accounts.Phases)
				want.Merge(&total)
			}
			if d := union.Response; d.N != want.Response.N || *d.MaxNS != want.Response.Max || *d.P99NS != want.Response.Quantile(0.99) {
				t.Errorf("%+v, want max %d p99 %d", d, want.Response.Max, want.Response.Quantile(0.99))
			}
			inPhases(t, u.Dir)
		})
	}
}

// inPhases checks that every row lies in its phase and has a number of its own.
func inPhases(t *testing.T, dir string) {
	t.Helper()
	m, err := rundir.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[uint64]bool{}
	if _, err := rundir.ReadSamples(dir, func(s *rundir.Sample) error {
		p := m.Phases[s.Phase]
		if seen[s.Index] || s.Scheduled < p.StartNS || s.Scheduled >= p.StartNS+p.LengthNS {
			t.Errorf("request %d at %d is not in phase %s, %d for %d, or is there twice", s.Index, s.Scheduled, p.Name, p.StartNS, p.LengthNS)
		}
		seen[s.Index] = true
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	a := record(t, parent, "1")
	other := record(t, parent, "1", "target.bundled.policy=static")
	warmer := record(t, parent, "2", "cold.threshold=80ms")
	late := edit(t, record(t, parent, "3"), func(m *rundir.Manifest) { m.Interruption = "signal interrupt" })
	measured, half := at(t, record(t, parent, "4"), 0), at(t, record(t, parent, "5"), time.Second)
	copied := filepath.Join(parent, "copied")
	if err := os.CopyFS(copied, os.DirFS(a)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		dirs []string
		want string
	}{
		"another policy":   {[]string{a, other}, "have other profiles: target.bundled.policy: ewma → static"},
		"another limit":    {[]string{a, warmer}, "cold.threshold: 70ms → 80ms"},
		"a partial run":    {[]string{a, late}, "is partial"},
		"the same twice":   {[]string{a, a}, "are the same run"},
		"a run and a copy": {[]string{a, copied}, "are the same run"},
		"measured and not": {[]string{a, measured}, "measured and simulated times do not mix"},
		"half an overlap":  {[]string{measured, half}, "neither at the same time nor one after the other"},
		"one run":          {[]string{a}, "want two or more"},
		"no run":           {[]string{a, t.TempDir()}, "not a run directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			_, err := Merge(c.dirs, Options{Parent: out})
			if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, ErrUnlike) && !errors.Is(err, rundir.ErrNotARun) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if left, _ := os.ReadDir(out); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// Without the rows of one part the union has none, and its quantiles come from
// the histograms; values out of range stay counted (C43).
func TestMergeWithoutRows(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	a, b := record(t, parent, "1"), record(t, parent, "2")
	if err := os.Remove(filepath.Join(b, rundir.SamplesFile)); err != nil {
		t.Fatal(err)
	}
	u, err := Merge([]string{a, b}, Options{Parent: parent})
	if err != nil {
		t.Fatal(err)
	}
	s, err := analysis.Summarize(u.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if s.Counts.OK != u.Sent || s.Response.P99NS == nil || !strings.Contains(strings.Join(s.Warnings, "\n"), "the union has none") {
		t.Errorf("%+v %q", s.Counts, s.Warnings)
	}
}
