package rundir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// java-2.1.11.hlog was written by HdrHistogram 2.1.11 for Java (Debian's
// libhdrhistogram-java): i²·997·(t+1) ns for i = 1..1000 in histogram t, tagged as
// we tag a phase named "warm, up", and a line without a tag after them.
func TestReferenceLogIsRead(t *testing.T) {
	t.Parallel()
	log, err := os.ReadFile(filepath.Join("testdata", "java-2.1.11.hlog"))
	if err != nil {
		t.Fatal(err)
	}
	m := NewManifest(ProducerLoadgen, time.Unix(1_796_017_500, 0))
	m.Phases = []PhaseFact{{Name: "warm, up", Cycle: 1, LengthNS: 5e9}}
	fill := func(a Accounts) {
		tally := &a.Phases[0]
		for i := int64(1); i <= 1000; i++ {
			tally.Service.Add(i * i * 997)
			tally.Response.Add(i * i * 997 * 2)
			tally.Lag.Add(i * i * 997 * 3)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, HistogramsFile), log, 0o644); err != nil {
		t.Fatal(err)
	}
	want, got := NewAccounts(m, 0), NewAccounts(m, 0)
	fill(want)
	fill(got)
	for _, d := range []*Distribution{&got.Phases[0].Service, &got.Phases[0].Response, &got.Phases[0].Lag} {
		d.blocks = nil // the counters are what the log has to bring back
	}
	if err := ReadHistograms(dir, m, got); err != nil {
		t.Fatal(err)
	}
	for i, pair := range [][2]*Distribution{
		{&got.Phases[0].Service, &want.Phases[0].Service}, {&got.Phases[0].Response, &want.Phases[0].Response}, {&got.Phases[0].Lag, &want.Phases[0].Lag},
	} {
		if !pair[0].HDR().Equals(pair[1].HDR()) {
			t.Errorf("histogram %d: counters differ from what was recorded", i)
		}
	}

	// And ours, by the Go port: every tag comes back, whatever the name holds.
	if err := writeHistograms(dir, m, want); err != nil {
		t.Fatal(err)
	}
	ours, err := os.ReadFile(filepath.Join(dir, HistogramsFile))
	if err != nil {
		t.Fatal(err)
	}
	var tags []string
	reader := hdr.NewHistogramLogReader(strings.NewReader(string(ours)))
	for {
		h, err := reader.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		tags = append(tags, h.Tag())
	}
	if got := strings.Join(tags, " "); got != "lag.1.warm%2C+up service.1.warm%2C+up response.1.warm%2C+up" {
		t.Errorf("tags %s", got)
	}
}

// C43: a histogram of another precision has its values elsewhere, one of
// another range may have values that ours cannot hold: neither is read silently.
func TestOtherHistogramsAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		h    *hdr.PackedHistogram
		want string
	}{
		"precision": {hdr.NewPacked(1, DistributionMax, 2), "2 significant digits"},
		"range":     {hdr.NewPacked(1, 4*DistributionMax, digits), "out of range"},
		"count":     {hdr.NewPacked(1, DistributionMax, digits), "holds 3 values, its exact counter says 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			values := []int64{5e6, 3 * DistributionMax}
			if name != "range" {
				values[1] = 7e6
			}
			if name == "count" {
				values = append(values, 9e6)
			}
			for _, v := range values {
				if err := c.h.RecordValue(v); err != nil {
					t.Fatal(err)
				}
			}
			d := Distribution{N: 2}
			if err := d.SetHDR(c.h); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
