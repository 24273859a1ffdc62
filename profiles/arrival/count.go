package arrival

import "math"

// snap undoes rounding of a count that is meant to be whole: 0.1/s for 30 s is
// 3 arrivals, and 450/s for 333.333333 ms, a third of a second as near as
// nanoseconds allow, is 150. The tolerance is 1e-8 of the count, which covers the
// rounding of lengths from 50 ms, and never above a thousandth of an arrival.
func snap(count float64) float64 {
	whole := math.Round(count)
	if math.Abs(count-whole) <= min(float64(1e-8*count), 1e-3) {
		return whole
	}
	return count
}

// compensated is Neumaier's sum: its error does not grow with the number of terms.
type compensated struct{ sum, lost float64 }

func (c *compensated) add(x float64) {
	t := c.sum + x
	if math.Abs(c.sum) >= math.Abs(x) {
		c.lost += (c.sum - t) + x
	} else {
		c.lost += (x - t) + c.sum
	}
	c.sum = t
}

func (c *compensated) value() float64 { return c.sum + c.lost }
