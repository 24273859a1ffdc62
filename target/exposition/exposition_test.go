package exposition

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestText(t *testing.T) {
	t.Parallel()
	var w Writer
	w.Family("a_total", "One\nline \\ here.", Counter)
	w.Value(3, "path", "q\"uo\nte\xff")
	w.Family("b", "Two.", Gauge)
	w.Value(math.NaN())
	w.Value(math.Inf(1), "x", "1", "y", "2")
	want := `# HELP a_total One\nline \\ here.
# TYPE a_total counter
a_total{path="q\"uo\nte` + "\uFFFD" + `"} 3
# HELP b Two.
# TYPE b gauge
b NaN
b{x="1",y="2"} +Inf
`
	if diff := cmp.Diff(want, string(w.Bytes())); diff != "" {
		t.Error(diff)
	}
}

func TestClassicBucketsAreCumulative(t *testing.T) {
	t.Parallel()
	var h Histogram
	h.Observe(10 * time.Microsecond) // on a bound
	h.Observe(300 * time.Millisecond)
	h.Add(3600, 2)
	var w Writer
	w.Family("h_seconds", "H.", Buckets)
	w.Histogram(&h, "path", "warm")
	text := string(w.Bytes())
	for _, line := range []string{
		`h_seconds_bucket{path="warm",le="1e-05"} 1`, `h_seconds_bucket{path="warm",le="0.25"} 1`, `h_seconds_bucket{path="warm",le="0.5"} 2`,
		`h_seconds_bucket{path="warm",le="30"} 2`, `h_seconds_bucket{path="warm",le="+Inf"} 4`, `h_seconds_count{path="warm"} 4`, `h_seconds_sum{path="warm"} 7200.30001`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
}

// Every value lies in the native bucket it is counted in, and every count is in
// the spans that are sent.
func TestNativeBuckets(t *testing.T) {
	t.Parallel()
	var h Histogram
	n := uint64(0)
	for v := 1e-7; v < 9000; v *= 1.037 {
		i := nativeBucket(v)
		low, high := math.Exp2(float64(i-1)/perOctave), math.Exp2(float64(i)/perOctave)
		if v <= low*(1-1e-12) || v > high*(1+1e-12) {
			t.Fatalf("%g is in bucket %d (%g, %g]", v, i, low, high)
		}
		h.Add(v, 1)
		n++
	}
	sum := h.zero
	for _, c := range h.native {
		sum += c
	}
	if h.Count != n || sum != n || h.zero == 0 {
		t.Errorf("%d values, %d counted, %d in buckets, %d of them below the first", n, h.Count, sum, h.zero)
	}
	if nativeBucket(1) != 0 || nativeBucket(math.Exp2(1)) != perOctave {
		t.Errorf("1 is in bucket %d, 2 in %d", nativeBucket(1), nativeBucket(2))
	}
}

func TestObservingAllocatesNothing(t *testing.T) {
	var h Histogram
	if n := testing.AllocsPerRun(1000, func() { h.Observe(37 * time.Millisecond) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A writer that is used again allocates nothing in the text format.
func TestScrapingAllocatesNothing(t *testing.T) {
	var (
		w Writer
		h Histogram
	)
	h.Observe(37 * time.Millisecond)
	scrape := func() {
		w.Begin(nil)
		w.Family("a_total", "One.", Counter)
		w.Value(3, "path", "warm")
		w.Family("h_seconds", "H.", Buckets)
		w.Histogram(&h, "path", "warm")
		_ = w.Bytes()
	}
	scrape()
	if n := testing.AllocsPerRun(100, scrape); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkObserve(b *testing.B) {
	var h Histogram
	b.ReportAllocs()
	for b.Loop() {
		h.Observe(37 * time.Millisecond)
	}
}
