package rundir

import (
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// The library has to read what we encode as what it would have recorded.
func TestHistogramCode(t *testing.T) {
	t.Parallel()
	var coder histogramCoder
	for _, n := range []int{1, 2, 10, 5000, 200_000} {
		var d Distribution
		for _, v := range latencies(n, uint64(n))[:n] {
			for range 1 + v%3 {
				d.Add(v)
			}
		}
		text, err := coder.encode(&d)
		if err != nil {
			t.Fatal(err)
		}
		got, err := hdr.Decode(text)
		if err != nil {
			t.Fatalf("n = %d: %v", n, err)
		}
		if !got.Equals(d.HDR()) || got.TotalCount() != int64(d.N) || got.Max() != d.HDR().Max() {
			t.Errorf("n = %d: decoded histogram differs", n)
		}
	}
}
