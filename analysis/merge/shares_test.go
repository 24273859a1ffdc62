package merge

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"edgebench/analysis"
	"edgebench/analysis/rundir"
	"edgebench/profiles/arrival"
)

// split writes what each of several generators would have of a run: its own
// requests, and a series of them.
func split(t *testing.T, parent, dir string, of int) (shares []string) {
	t.Helper()
	for i := 1; i <= of; i++ {
		share := arrival.Share{Index: i, Of: of}
		m := manifestOf(t, dir)
		m.TakeShare(share)
		m.Producer, m.Start = rundir.ProducerLoadgen, &rundir.Start{LateNS: int64(i) * 1000}
		shares = append(shares, writeShare(t, parent, dir, m, share))
	}
	return shares
}

func manifestOf(t *testing.T, dir string) *rundir.Manifest {
	t.Helper()
	m, err := rundir.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func writeShare(t *testing.T, parent, dir string, m *rundir.Manifest, share arrival.Share) string {
	t.Helper()
	d, err := rundir.Create(parent, m.PartName())
	must(t, err)
	yaml, err := os.ReadFile(filepath.Join(dir, rundir.ProfileFile))
	must(t, err)
	must(t, d.WriteProfile(yaml))
	samples, err := d.Samples()
	must(t, err)
	series, err := d.Timeseries()
	must(t, err)
	accounts := rundir.NewAccounts(m, time.Duration(m.ColdThresholdNS))
	var seconds [64]rundir.Interval
	for _, row := range rowsOf(t, dir) {
		if !share.Has(row.Index) {
			continue
		}
		must(t, samples.WriteSamples([]rundir.Sample{row}))
		must(t, accounts.Add(&row))
		seconds[row.Scheduled/1e9].Scheduled++
		seconds[row.Sent/1e9].Sent++
		s := &seconds[row.Done/1e9]
		s.OK++
		s.ResponseMaxNS = max(s.ResponseMaxNS, row.Done-row.Scheduled)
	}
	for i, v := range seconds[:(m.ElapsedNS+1e9-1)/1e9] {
		v.Second = int64(i)
		must(t, series.Write(v))
	}
	must(t, d.WriteTotals(m, accounts))
	must(t, d.WriteManifest(m))
	sealed, err := d.Seal()
	must(t, err)
	return sealed
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func rowsOf(t *testing.T, dir string) (rows []rundir.Sample) {
	t.Helper()
	_, err := rundir.ReadSamples(dir, func(s *rundir.Sample) error {
		rows = append(rows, *s)
		return nil
	})
	must(t, err)
	slices.SortFunc(rows, func(a, b rundir.Sample) int { return cmp.Compare(a.Index, b.Index) })
	return rows
}

// Shares put together are the run they were split from: the same rows with the
// same numbers, the same counters and histograms, the same seconds.
func TestSharesAreTheRun(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	whole := at(t, record(t, parent, "1"), 0)
	for _, of := range []int{2, 3} {
		shares := split(t, filepath.Join(parent, "shares", string(rune('0'+of))), whole, of)
		slices.Reverse(shares) // in whichever order they are named
		u, err := Merge(shares, Options{Parent: parent, Version: "test"})
		must(t, err)
		if diff := gocmp.Diff(rowsOf(t, whole), rowsOf(t, u.Dir)); diff != "" {
			t.Errorf("rows: %s", diff)
		}
		for _, name := range []string{rundir.TotalsFile, rundir.HistogramsFile} {
			if diff := gocmp.Diff(uncommented(t, whole, name), uncommented(t, u.Dir, name)); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		m, was := manifestOf(t, u.Dir), manifestOf(t, whole)
		if diff := gocmp.Diff(was.Phases, m.Phases); diff != "" || m.Planned != was.Planned || m.ScheduleHash != was.ScheduleHash || m.Share != nil {
			t.Errorf("planned %d of %d, share %v, phases %s", m.Planned, was.Planned, m.Share, diff)
		}
		if len(m.Parts) != of || m.Parts[of-1].Name != shares[0][strings.LastIndex(shares[0], "/")+1:] || m.Parts[0].Start.LateNS != 1000 {
			t.Errorf("parts %+v", m.Parts)
		}
		checkSeconds(t, u.Dir, rowsOf(t, whole))
		summary, err := analysis.Summarize(u.Dir)
		must(t, err)
		if !strings.Contains(strings.Join(summary.Warnings, "\n"), "how far apart the start was is not known") {
			t.Errorf("warnings %q", summary.Warnings)
		}
	}
}

// uncommented are the lines of a file but for those that tell when it began.
func uncommented(t *testing.T, dir, name string) (lines []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	must(t, err)
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// checkSeconds holds the series of a union against the rows of the run.
func checkSeconds(t *testing.T, dir string, rows []rundir.Sample) {
	t.Helper()
	var ok int64
	_, err := rundir.ReadTimeseries(dir, func(v rundir.Interval) error {
		var want rundir.Distribution
		for _, row := range rows {
			if row.Done/1e9 == v.Second {
				want.Add(row.Done - row.Scheduled)
			}
		}
		ok += v.OK
		if uint64(v.OK) != want.N || want.N > 0 && (v.ResponseP99NS != want.Quantile(0.99) || v.ResponseMaxNS != want.Max) {
			t.Errorf("second %d: %+v, want %d ok, p99 %d, max %d", v.Second, v, want.N, want.Quantile(0.99), want.Max)
		}
		return nil
	})
	must(t, err)
	if ok != int64(len(rows)) {
		t.Errorf("%d ok in the series of %d", ok, len(rows))
	}
}

// Only all shares of one run are a run.
func TestSharesRefused(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	whole, other := at(t, record(t, parent, "1"), 0), at(t, record(t, parent, "2"), 0)
	three, two, others := split(t, parent+"/three", whole, 3), split(t, parent+"/two", whole, 2), split(t, parent+"/others", other, 3)
	twice := split(t, parent+"/twice", whole, 3)
	edit(t, twice[1], func(m *rundir.Manifest) { m.StartedUnixNS++ })
	partial := split(t, parent+"/partial", whole, 3)
	edit(t, partial[2], func(m *rundir.Manifest) { m.Interruption = "stopped by a signal" })
	warmer := split(t, parent+"/warmer", whole, 3)
	edit(t, warmer[2], func(m *rundir.Manifest) { m.ProfileHash = "0123456789abcdef" })
	late := split(t, parent+"/late", whole, 2)
	edit(t, late[1], func(m *rundir.Manifest) { m.StartedUnixNS += 3600e9 })
	for name, c := range map[string]struct {
		dirs []string
		want string
	}{
		"one missing":          {[]string{three[0], three[2]}, "share 2/3 is missing"},
		"one twice":            {[]string{three[0], three[1], twice[1]}, "share 2/3 is there twice"},
		"of another split":     {[]string{two[0], three[1]}, "others are of 2"},
		"a whole run among":    {[]string{two[0], two[1], whole}, "is a whole run among shares"},
		"of another seed":      {[]string{three[0], three[1], others[2]}, "have other seeds: 1 and 2"},
		"of another profile":   {[]string{three[0], three[1], warmer[2]}, "have other profiles: hash"},
		"a partial one":        {[]string{three[0], three[1], partial[2]}, "is partial"},
		"not at the same time": {[]string{two[0], late[1]}, "one after the other"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := Merge(c.dirs, Options{Parent: t.TempDir()}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// The lag of one generator condemns the whole, however many others kept up.
func TestOneInvalidShare(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	shares := split(t, parent, at(t, record(t, parent, "1"), 0), 2)
	edit(t, shares[1], func(m *rundir.Manifest) {
		m.Generator = &rundir.Generator{KernelCounters: map[string]int64{"cgroup_throttled_periods": 1}}
		m.Start = &rundir.Start{Host: "gen2", LateNS: 7e6, ClockOffsetNS: new(int64(0)), ClockUncertaintyNS: new(int64(6e6))}
	})
	u, err := Merge(shares, Options{Parent: parent})
	must(t, err)
	s, err := analysis.Summarize(u.Dir)
	must(t, err)
	if s.Verdict != analysis.Invalid || !strings.Contains(strings.Join(s.Reasons, "\n"), "2of2: the generator was the limit") {
		t.Errorf("%s: %q", s.Verdict, s.Reasons)
	}
	for _, want := range []string{"2of2 on gen2 began 7ms after the start", "clock of 2of2 on gen2 is known to ± 6ms only"} {
		if !strings.Contains(strings.Join(s.Warnings, "\n"), want) {
			t.Errorf("no %q in %q", want, s.Warnings)
		}
	}
}
