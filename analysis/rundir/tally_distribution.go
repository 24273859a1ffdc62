package rundir

import (
	"encoding/json"
	"fmt"
	"math"
	"math/bits"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// A Distribution records durations in nanoseconds: an HDR histogram of 3
// significant digits over 0..DistributionMax with the exact count, minimum,
// maximum and sum beside it. The zero value is empty and ready.
//
// The counters are laid out as in HdrHistogram, so that HDR gives the same
// histogram the library would have recorded, but in blocks allocated when
// first used: a run has four distributions a phase and a shard, and the
// library's 270 kB apiece would make 10,000 phases cost gigabytes.
type Distribution struct {
	N       uint64 // values recorded
	Clamped uint64 // of them out of range: counted at the nearest end of it
	Min     int64  // exact, 0 when N is 0
	Max     int64  // exact, 0 when N is 0
	Sum     int64  // exact up to 292 years of summed time

	blocks *[rows]*row
}

// DistributionMax is the largest value with a bucket of its own, an hour.
const DistributionMax = int64(3600_000_000_000)

const (
	digits     = 3       // significant, as HdrHistogram counts them
	subBits    = 11      // 2048 sub-buckets: the least power of two that resolves 3 digits
	half       = 1 << 10 // every bucket but the first shares its lower half with the one before
	rows       = 33      // 2^11 sub-buckets doubled 31 times cover an hour
	blockBits  = 5
	blockSize  = 1 << blockBits
	blocksARow = half / blockSize
)

type (
	row   [blocksARow]*block
	block [blockSize]uint64
)

// slot is the position of v in the flat array of counters HdrHistogram has.
func slot(v int64) int {
	bucket := bits.Len64(uint64(v)|(1<<subBits-1)) - subBits
	return bucket*half + int(v>>bucket)
}

// slotRange is the inverse of slot: the values that share slot i.
func slotRange(i int) (low, high int64) {
	bucket := max(i/half-1, 0)
	low = int64(i-bucket*half) << bucket
	return low, low + 1<<bucket - 1
}

// Add records one duration. A negative one, or one above DistributionMax, is
// clamped to the range and counted as such; Min, Max and Sum stay exact.
func (d *Distribution) Add(ns int64) {
	if d.N == 0 || ns < d.Min {
		d.Min = ns
	}
	if d.N == 0 || ns > d.Max {
		d.Max = ns
	}
	d.N++
	d.Sum += ns
	if uint64(ns) > uint64(DistributionMax) { // negative values are large ones here
		d.Clamped++
		ns = min(max(ns, 0), DistributionMax)
	}
	d.counter(slot(ns))[0]++
}

// counter returns the counters of a block from slot i on.
func (d *Distribution) counter(i int) []uint64 {
	if d.blocks == nil {
		d.blocks = new([rows]*row)
	}
	r := d.blocks[i/half]
	if r == nil {
		r = new(row)
		d.blocks[i/half] = r
	}
	b := r[i%half/blockSize]
	if b == nil {
		b = new(block)
		r[i%half/blockSize] = b
	}
	return b[i%blockSize:]
}

// Merge adds all of other.
func (d *Distribution) Merge(other *Distribution) {
	if other.N == 0 {
		return
	}
	if d.N == 0 || other.Min < d.Min {
		d.Min = other.Min
	}
	if d.N == 0 || other.Max > d.Max {
		d.Max = other.Max
	}
	d.N += other.N
	d.Clamped += other.Clamped
	d.Sum += other.Sum
	other.each(func(i int, n uint64) bool {
		d.counter(i)[0] += n
		return true
	})
}

// Reset empties d and keeps its memory.
func (d *Distribution) Reset() {
	blocks := d.blocks
	*d = Distribution{blocks: blocks}
	if blocks == nil {
		return
	}
	for _, r := range blocks {
		if r == nil {
			continue
		}
		for _, b := range r {
			if b != nil {
				*b = block{}
			}
		}
	}
}

// each calls f for every slot in use, in order of value, until f is false.
func (d *Distribution) each(f func(i int, n uint64) bool) {
	if d.blocks == nil {
		return
	}
	for ri, r := range d.blocks {
		if r == nil {
			continue
		}
		for bi, b := range r {
			if b == nil {
				continue
			}
			for ci, n := range b {
				if n != 0 && !f(ri*half+bi*blockSize+ci, n) {
					return
				}
			}
		}
	}
}

// Quantile returns the value below which the share q (0..1) of the values
// lies: at most 0.1 % above the exact one, and never outside Min..Max. It is
// 0 when nothing was recorded.
func (d *Distribution) Quantile(q float64) int64 {
	if d.N == 0 {
		return 0
	}
	// The nearest rank: the smallest value that at least the share q does not
	// exceed. 0.9 · 10 must be 9 though its float is a little more.
	rank := min(max(uint64(math.Ceil(q*float64(d.N)*(1-1e-12))), 1), d.N)
	value := d.Max
	var seen uint64
	d.each(func(i int, n uint64) bool {
		seen += n
		if seen < rank {
			return true
		}
		_, value = slotRange(i)
		return false
	})
	return min(max(value, d.Min), d.Max)
}

// Above returns how many values are certainly larger than ns: those in slots
// that begin above it.
func (d *Distribution) Above(ns int64) (n uint64) {
	d.each(func(i int, count uint64) bool {
		if low, _ := slotRange(i); low > ns {
			n += count
		}
		return true
	})
	return n
}

// Bars calls f for every bar of the histogram that holds values, in order: n of
// them lie between low and high ns, both included.
func (d *Distribution) Bars(f func(low, high int64, n uint64)) {
	d.each(func(i int, n uint64) bool {
		low, high := slotRange(i)
		f(low, high, n)
		return true
	})
}

// Mean is the exact mean, 0 when nothing was recorded.
func (d *Distribution) Mean() float64 {
	if d.N == 0 {
		return 0
	}
	return float64(d.Sum) / float64(d.N)
}

// HDR returns the histogram as HdrHistogram has it, for its file formats.
func (d *Distribution) HDR() *hdr.Histogram {
	h := hdr.New(1, DistributionMax, digits)
	d.each(func(i int, n uint64) bool {
		low, _ := slotRange(i)
		// Every slot holds a value within the range, so nothing is refused.
		_ = h.RecordValues(low, int64(n))
		return true
	})
	return h
}

// SetHDR replaces the counters by those of h and keeps the exact fields, which
// a histogram file does not have. It fails when h counts another number of
// values than N, or values out of range.
func (d *Distribution) SetHDR(h *hdr.PackedHistogram) error {
	if got := h.TotalCount(); uint64(got) != d.N {
		return fmt.Errorf("holds %d values, its exact counter says %d", got, d.N)
	}
	if got := h.SignificantFigures(); got != digits {
		return fmt.Errorf("%d significant digits, this program keeps %d: its values are not where they were", got, digits)
	}
	d.blocks = nil
	for value, count := range h.ForEachBucket {
		if value < 0 || value > DistributionMax {
			return fmt.Errorf("value %d ns out of range 0..%d", value, DistributionMax)
		}
		d.counter(slot(value))[0] += uint64(count)
	}
	return nil
}

// exact is the JSON form: what a histogram file cannot tell. Minimum and
// maximum are null when there is no value.
type exact struct {
	N       uint64 `json:"n"`
	Min     *int64 `json:"min_ns"`
	Max     *int64 `json:"max_ns"`
	Sum     int64  `json:"sum_ns"`
	Clamped uint64 `json:"clamped"`
}

// MarshalJSON writes the exact fields; the counters belong in a histogram file.
func (d *Distribution) MarshalJSON() ([]byte, error) {
	e := exact{N: d.N, Sum: d.Sum, Clamped: d.Clamped}
	if d.N > 0 {
		e.Min, e.Max = &d.Min, &d.Max
	}
	return json.Marshal(e)
}

// UnmarshalJSON reads the exact fields and leaves the counters empty: SetHDR
// fills them.
func (d *Distribution) UnmarshalJSON(text []byte) error {
	var e exact
	if err := json.Unmarshal(text, &e); err != nil {
		return err
	}
	*d = Distribution{N: e.N, Sum: e.Sum, Clamped: e.Clamped}
	if e.N == 0 {
		return nil
	}
	if e.Min == nil || e.Max == nil {
		return fmt.Errorf("distribution of %d values without min_ns or max_ns: %.80s", e.N, text)
	}
	d.Min, d.Max = *e.Min, *e.Max
	return nil
}
