package exposition

import (
	"math"
	"slices"
	"time"
)

// Upper bounds of the classic buckets, in seconds: from the generator's lag to a
// request that timed out.
var classicBounds = [...]float64{
	1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 10, 30,
}

// Native buckets have bounds at powers of 2^(1/8), each 9 % above the one before.
const (
	schema      = 3
	perOctave   = 1 << schema
	lowestPower = -20 // below 2^-20 s, about a microsecond, is the zero bucket
	octaves     = 32  // up to 2^12 s, more than an hour
)

// nativeBounds are where buckets end within an octave: 2^(i/8) / 2.
var nativeBounds = [perOctave]float64{
	0.5, 0.5452538663326288, 0.5946035575013605, 0.6484197773255048,
	0.7071067811865475, 0.7711054127039704, 0.8408964152537144, 0.9170040432046711,
}

// A Histogram of durations, classic and native at once. The zero value is empty;
// adding allocates nothing.
type Histogram struct {
	Count uint64
	Sum   float64 // s

	zero    uint64
	native  [octaves*perOctave + 1]uint64 // from bucket lowestPower·perOctave + 1 on
	classic [len(classicBounds)]uint64    // not cumulative
}

// Observe adds one duration.
func (h *Histogram) Observe(d time.Duration) { h.Add(d.Seconds(), 1) }

// Add adds n times seconds ≥ 0; longer than an hour counts in the last bucket.
func (h *Histogram) Add(seconds float64, n uint64) {
	h.Count += n
	h.Sum += seconds * float64(n)
	for i, bound := range classicBounds {
		if seconds <= bound {
			h.classic[i] += n
			break
		}
	}
	i := nativeBucket(seconds) - lowestPower*perOctave - 1
	if i < 0 {
		h.zero += n
		return
	}
	h.native[min(i, len(h.native)-1)] += n
}

// Classic are the upper bounds of the classic buckets, in s, and the counts
// of each, not cumulative; one more count than bounds, of what is above the last.
func (h *Histogram) Classic() (bounds []float64, counts []uint64) {
	above := h.Count
	for _, n := range h.classic {
		above -= n
	}
	return slices.Clone(classicBounds[:]), append(slices.Clone(h.classic[:]), above)
}

// nativeBucket is the number i of the bucket (2^((i−1)/8), 2^(i/8)] of a value.
func nativeBucket(v float64) int {
	if v <= 0 {
		return math.MinInt32
	}
	fraction, power := math.Frexp(v)
	i := 0
	for i < perOctave && nativeBounds[i] < fraction {
		i++
	}
	return (power-1)*perOctave + i
}

// Histogram writes one histogram of the family.
func (w *Writer) Histogram(h *Histogram, labels ...string) {
	if w.protobuf {
		w.metric(func(b []byte) []byte { return appendMessage(b, 7, h.message()) }, labels)
		return
	}
	seen := uint64(0)
	for i, bound := range classicBounds {
		seen += h.classic[i]
		w.sample("_bucket", float64(seen), labels, bound)
	}
	w.sample("_bucket", float64(h.Count), labels, math.Inf(1))
	w.sample("_sum", h.Sum, labels, none)
	w.sample("_count", float64(h.Count), labels, none)
}

// message is the histogram in protobuf.
func (h *Histogram) message() []byte {
	b := appendNumber(nil, 1, h.Count)
	b = appendDouble(b, 2, h.Sum)
	seen := uint64(0)
	for i, bound := range classicBounds {
		seen += h.classic[i]
		b = appendMessage(b, 3, appendDouble(appendNumber(nil, 1, seen), 2, bound))
	}
	b = appendNumber(b, 5, zigzag(schema))
	b = appendDouble(b, 6, math.Exp2(lowestPower))
	b = appendNumber(b, 7, h.zero)
	return h.spans(b)
}

// spans appends the native buckets in use: runs of them, each with its distance
// from the run before, then the counts as differences.
func (h *Histogram) spans(b []byte) []byte {
	var deltas []byte
	end, last := 0, int64(0)                   // the bucket after the last run; the last count
	offset := int64(lowestPower*perOctave + 1) // of the first run, from bucket 0
	for i := 0; i < len(h.native); i++ {
		if h.native[i] == 0 {
			continue
		}
		begin := i
		for ; i < len(h.native) && h.native[i] != 0; i++ {
			deltas = appendNumber(deltas, 13, zigzag(int64(h.native[i])-last))
			last = int64(h.native[i])
		}
		b = appendMessage(b, 12, appendNumber(appendNumber(nil, 1, zigzag(offset+int64(begin-end))), 2, uint64(i-begin)))
		end, offset = i, 0
	}
	return append(b, deltas...)
}
