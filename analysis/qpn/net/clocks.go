package net

import "math"

// clocks is the event list: every timer, queue and window has one clock, known
// at compile time, that says when it acts next (+Inf: not at all). A winner
// tree over them finds the first: setting a clock is log2(n) comparisons with
// no search and no allocation, which beats a heap of events while nets have
// tens of clocks. Many pending times of one clock (a queue's services) wait in
// that clock's own heap.
type clocks struct {
	at   []float64
	win  []int32 // win[1] is the first clock; win[len(at)+i] is leaf i
	size int32   // of at, a power of two
}

func newClocks(n int) clocks {
	size := 1
	for size < n {
		size *= 2
	}
	c := clocks{at: make([]float64, size), win: make([]int32, 2*size), size: int32(size)}
	c.clear()
	return c
}

func (c *clocks) clear() {
	for i := range c.at {
		c.at[i] = math.Inf(1)
	}
	for i := range c.size {
		c.win[c.size+i] = i
	}
	for i := c.size - 1; i > 0; i-- {
		c.win[i] = c.win[2*i]
	}
}

// first returns the clock that acts next; the lower one of equals, so that a
// run does not depend on the history of the tree.
func (c *clocks) first() int32 { return c.win[1] }

// set moves clock i to time t.
func (c *clocks) set(i int32, t float64) {
	at, win := c.at, c.win
	at[i] = t
	for node := (i + c.size) >> 1; node > 0; node >>= 1 {
		a, b := win[2*node], win[2*node+1]
		if at[b] < at[a] {
			a = b
		}
		win[node] = a
	}
}
