package rundir

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
)

// latencies draws n values over every octave of the range, ends included.
func latencies(n int, seed uint64) []int64 {
	r := rand.New(rand.NewPCG(seed, 1))
	values := []int64{0, 1, 2047, 2048, 2049, DistributionMax - 1, DistributionMax}
	for len(values) < n {
		values = append(values, int64(math.Exp(r.Float64()*math.Log(float64(DistributionMax)))))
	}
	return values
}

func TestDistributionIsAnHDRHistogram(t *testing.T) {
	t.Parallel()
	want := hdr.New(1, DistributionMax, 3)
	var d Distribution
	for _, v := range latencies(20_000, 7) {
		d.Add(v)
		if err := want.RecordValue(v); err != nil {
			t.Fatal(err)
		}
	}
	if !d.HDR().Equals(want) {
		t.Error("HDR() differs from what the library records")
	}
	for _, q := range []float64{0, 0.001, 0.5, 0.9, 0.99, 0.999, 1} {
		got, library := d.Quantile(q), min(want.ValueAtQuantile(100*q), d.Max)
		if q > 0 && got != library {
			t.Errorf("quantile %g: %d, the library's %d", q, got, library)
		}
	}
	if d.Quantile(1) != DistributionMax || d.Max != DistributionMax || d.Min != 0 || d.Clamped != 0 {
		t.Errorf("p100 %d, max %d, min %d, clamped %d", d.Quantile(1), d.Max, d.Min, d.Clamped)
	}
}

func TestSlotsTileTheRange(t *testing.T) {
	t.Parallel()
	next := int64(0)
	for i := 0; next <= DistributionMax; i++ {
		low, high := slotRange(i)
		if low != next || slot(low) != i || slot(high) != i {
			t.Fatalf("slot %d covers %d..%d (slots %d, %d), want it to begin at %d", i, low, high, slot(low), slot(high), next)
		}
		next = high + 1
	}
	if i := slot(DistributionMax); i >= rows*half {
		t.Errorf("slot %d of the largest value is outside the table", i)
	}
}

func TestOutOfRangeIsClampedAndCounted(t *testing.T) {
	t.Parallel()
	var d Distribution
	d.Add(-5)
	d.Add(2 * DistributionMax)
	d.Add(100)
	if d.N != 3 || d.Clamped != 2 || d.Min != -5 || d.Max != 2*DistributionMax || d.Sum != 2*DistributionMax+95 {
		t.Errorf("got %+v", d)
	}
	if n := d.HDR().TotalCount(); n != 3 {
		t.Errorf("the histogram holds %d of 3 values", n)
	}
}

func TestQuantileStaysWithinWhatWasMeasured(t *testing.T) {
	t.Parallel()
	var empty, one Distribution
	one.Add(1_000_001)
	for _, q := range []float64{0, 0.5, 0.999, 1} {
		if empty.Quantile(q) != 0 || one.Quantile(q) != 1_000_001 {
			t.Errorf("q %g: empty %d, one value %d", q, empty.Quantile(q), one.Quantile(q))
		}
	}
}

func TestMergeEqualsOneRecorder(t *testing.T) {
	t.Parallel()
	var parts [3]Distribution
	var whole, merged Distribution
	for i, v := range latencies(5000, 3) {
		parts[i%3].Add(v)
		whole.Add(v)
	}
	for i := range parts {
		merged.Merge(&parts[i])
	}
	if !merged.HDR().Equals(whole.HDR()) || merged.Sum != whole.Sum || merged.Min != whole.Min || merged.Max != whole.Max {
		t.Error("merged parts differ from the whole")
	}
	whole.Reset()
	if whole.N != 0 || whole.Quantile(1) != 0 || whole.HDR().TotalCount() != 0 {
		t.Errorf("after Reset: %d values", whole.N)
	}
}

func TestAbove(t *testing.T) {
	t.Parallel()
	var d Distribution
	for _, v := range []int64{10, 999_000, 1_100_000, 5_000_000} {
		d.Add(v)
	}
	if got := d.Above(1_000_000); got != 2 {
		t.Errorf("above 1 ms: %d, want 2", got)
	}
}

// someSamples is one of everything that may happen to a request.
func someSamples() []Sample {
	ms := int64(time.Millisecond)
	samples := []Sample{
		{Outcome: OK, Path: PathWarm, Scheduled: 0, Sent: ms, Done: 502 * ms, Bytes: 100},
		{Outcome: OK, Path: PathQueued, Sent: ms, Done: 900 * ms},
		{Outcome: OK, Path: PathFresh, Sent: ms, Done: 602 * ms},
		{Outcome: OK, Path: PathFallback, Sent: ms, Done: 801 * ms},
		{Outcome: OK, Cold: MarkYes, Sent: ms, Done: 1200 * ms},
		{Outcome: OK, Sent: ms, Done: 1200 * ms},
		{Outcome: OpenAtEnd, Sent: ms},
		{Outcome: OK, Sent: 31 * ms, ConnectWaitNS: 30 * ms, Done: 533 * ms},
	}
	for d := DropMaxInFlight; d < NumDropReasons; d++ {
		samples = append(samples, Sample{Outcome: Dropped, Drop: d})
	}
	for o := ErrTimeout; o < NumOutcomes; o++ {
		samples = append(samples, Sample{Outcome: o, Sent: ms, Done: 3 * ms})
	}
	return samples
}

func TestTally(t *testing.T) {
	t.Parallel()
	tally := Tally{ColdThreshold: 700 * time.Millisecond}
	for _, s := range someSamples() {
		tally.Add(&s)
	}
	if err := tally.Check(); err != nil {
		t.Error(err)
	}
	want := ColdCounts{Marked: 5, Truth: 3, ByThreshold: 4, TruePositive: 2, FalsePositive: 1, FalseNegative: 1, TrueNegative: 1}
	if diff := cmp.Diff(want, tally.Cold); diff != "" {
		t.Errorf("cold counts (-want +got):\n%s", diff)
	}
	errorClasses := uint64(NumOutcomes - ErrTimeout)
	if tally.OK() != 7 || tally.Errors() != errorClasses || tally.OpenAtEnd() != 1 || tally.Dropped() != 6 {
		t.Errorf("ok %d, errors %d, open %d, dropped %d", tally.OK(), tally.Errors(), tally.OpenAtEnd(), tally.Dropped())
	}
	if w := tally.ConnectWait; tally.Lag.Max != int64(time.Millisecond) || w.N != 1 || w.Max != int64(30*time.Millisecond) {
		t.Errorf("lag of at most %d ns, waits for a connection %+v: the wait is no part of the lag", tally.Lag.Max, w)
	}
	var twice Tally
	twice.Merge(&tally)
	twice.Merge(&tally)
	if err := twice.Check(); err != nil || twice.Scheduled != 2*tally.Scheduled || twice.Cold.Truth != 6 || twice.Bytes != 200 {
		t.Errorf("merged twice: %+v, %v", twice.Cold, err)
	}
}

func TestTallySurvivesJSON(t *testing.T) {
	t.Parallel()
	tally := &Tally{ColdThreshold: 700 * time.Millisecond}
	for _, s := range someSamples() {
		tally.Add(&s)
	}
	for name, in := range map[string]*Tally{"full": tally, "empty": {}} {
		text, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		var out Tally
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		if err := out.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, d := range []struct{ in, out *Distribution }{{&in.Lag, &out.Lag}, {&in.ConnectWait, &out.ConnectWait}, {&in.Service, &out.Service}, {&in.Response, &out.Response}, {&in.Failed, &out.Failed}} {
			code, err := d.in.HDR().EncodeV2()
			if err != nil {
				t.Fatal(err)
			}
			packed, err := hdr.DecodePacked(code)
			if err == nil {
				err = d.out.SetHDR(packed)
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if d.in.Quantile(0.5) != d.out.Quantile(0.5) {
				t.Errorf("%s: median %d came back as %d", name, d.in.Quantile(0.5), d.out.Quantile(0.5))
			}
		}
		if again, _ := json.Marshal(&out); string(again) != string(text) {
			t.Errorf("%s: %s\ncame back as %s", name, text, again)
		}
	}
}

func TestTallyRefusesWhatDoesNotAddUp(t *testing.T) {
	t.Parallel()
	text, _ := json.Marshal(&Tally{})
	for name, c := range map[string]struct{ old, new, want string }{
		"unknown class":  {`"errors_by_class":{}`, `"errors_by_class":{"gremlins":1}`, "gremlins"},
		"ok as class":    {`"errors_by_class":{}`, `"errors_by_class":{"ok":1}`, `unknown class "ok"`},
		"unknown reason": {`"dropped_by_reason":{}`, `"dropped_by_reason":{"tired":1}`, "tired"},
		"unknown path":   {`"paths":{}`, `"paths":{"scenic":1}`, "scenic"},
		"wrong sum":      {`"errors":0`, `"errors":3`, "do not reconcile"},
		"no minimum":     {`"lag":{"n":0`, `"lag":{"n":4`, "min_ns"},
	} {
		var out Tally
		err := json.Unmarshal([]byte(strings.Replace(string(text), c.old, c.new, 1)), &out)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
	lost := Tally{Scheduled: 3}
	if err := lost.Check(); !errors.Is(err, ErrConservation) {
		t.Errorf("a lost request passes: %v", err)
	}
	var short Distribution
	short.N = 2
	if err := short.SetHDR(hdr.NewPacked(1, DistributionMax, 3)); err == nil {
		t.Error("a histogram with values missing passes")
	}
}

func TestTallyAddAllocatesNothing(t *testing.T) {
	samples := someSamples()
	var tally Tally
	add := func() {
		for i := range samples {
			tally.Add(&samples[i])
		}
	}
	add() // the blocks in use now exist
	if n := testing.AllocsPerRun(100, add); n != 0 {
		t.Errorf("%g allocations for %d requests", n, len(samples))
	}
}

// Ten thousand phases of twenty requests, as a profile of many short cycles
// has, must fit a laptop: the library's histograms would take 8 GB.
func TestManyPhasesStaySmall(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	tallies := make([]*Tally, 10_000)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range tallies {
		tallies[i] = new(Tally)
		for range 20 {
			sent := r.Int64N(100_000)
			tallies[i].Add(&Sample{Sent: sent, Done: sent + 500_000_000 + r.Int64N(2_000_000)})
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	size := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / int64(len(tallies))
	t.Logf("%d bytes a phase", size)
	if size > 16<<10 {
		t.Errorf("%d bytes a phase, want at most 16 KiB", size)
	}
	runtime.KeepAlive(tallies)
}

func BenchmarkTallyAdd(b *testing.B) {
	b.ReportAllocs()
	s := Sample{Sent: 6_000, Done: 200_000}
	var tally Tally
	for b.Loop() {
		s.Done = 150_000 + (s.Done*7919)%100_000
		tally.Add(&s)
	}
}

// Nearest rank: of ten values 1..10 the p90 is the ninth, of nine the ninth too.
func TestQuantileIsTheNearestRank(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n    int64
		q    float64
		want int64
	}{{10, 0.9, 9}, {9, 0.9, 9}, {10, 0.5, 5}, {11, 0.5, 6}, {100, 0.99, 99}, {99, 0.99, 99}, {10, 0.91, 10}, {3, 0, 1}, {3, 1, 3}} {
		var d Distribution
		for v := int64(1); v <= c.n; v++ {
			d.Add(v)
		}
		if got := d.Quantile(c.q); got != c.want {
			t.Errorf("quantile %g of 1..%d is %d, want %d", c.q, c.n, got, c.want)
		}
	}
}
