package policy

import "time"

// buckets averages a value over the last seconds, one bucket a second of the
// node's clock. A span is as many whole seconds, the running one included, or as
// many as there have been.
type buckets struct {
	area, length []float64 // by second modulo their number: value · time, and time
	second       int64     // the running one
}

func newBuckets(seconds int) buckets {
	return buckets{area: make([]float64, seconds), length: make([]float64, seconds)}
}

// add takes a value that held from one instant to another, the newest so far.
func (b *buckets) add(from, to time.Duration, value float64) {
	if to <= from {
		return
	}
	size := int64(len(b.area))
	last := int64((to - 1) / time.Second)
	for b.second = max(b.second, last-size); b.second < last; { // what is skipped is forgotten
		b.second++
		b.area[b.second%size], b.length[b.second%size] = 0, 0
	}
	for s := max(int64(max(from, 0)/time.Second), last-size+1); s <= last; s++ {
		begin, end := time.Duration(s)*time.Second, time.Duration(s+1)*time.Second
		part := (min(to, end) - max(from, begin)).Seconds()
		b.area[s%size] += value * part
		b.length[s%size] += part
	}
}

// mean is the average over the last span seconds, 0 without any.
func (b *buckets) mean(span int) float64 {
	size := int64(len(b.area))
	area, length := 0.0, 0.0
	for s := max(b.second-int64(span)+1, 0); s <= b.second; s++ {
		area += b.area[s%size]
		length += b.length[s%size]
	}
	if length == 0 {
		return 0
	}
	return area / length
}
