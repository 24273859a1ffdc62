package arrival

import (
	"fmt"
	"math/rand/v2"
)

// A Spacing says how the arrivals of one column of a trace lie within it: the
// column is a circle divided into as many gaps as it has arrivals, drawn by the
// spacing and scaled to fill it.
type Spacing struct {
	Name string
	Help string
	gap  func(*rand.PCG) float64 // of any scale
}

// spacings is the registry; the first is the default.
var spacings = []Spacing{
	{"exponential", "exponential gaps: shifted, independent uniform instants", exponential},
	{"uniform", "gaps uniform from 0", uniform},
	{"equidistant", "equal gaps", func(*rand.PCG) float64 { return 1 }},
}

// Spacings lists the spacings, the default first.
func Spacings() []Spacing { return append([]Spacing(nil), spacings...) }

// SpacingOf finds a spacing by name.
func SpacingOf(name string) (Spacing, error) {
	for _, s := range spacings {
		if s.Name == name {
			return s, nil
		}
	}
	return Spacing{}, fmt.Errorf("unknown spacing %q", name)
}

// A circle yields the arrivals of one column in order of time, in constant memory:
// the gaps are not kept but drawn again from a copy of the random stream.
//
// Arrival k lies at shift + g₀ + … + g_{k−1}, modulo the width. Not shifted, the
// first is on the column's edge, and so all functions of a trace would begin every
// minute together.
type circle struct {
	gap         func(*rand.PCG) float64
	n           int     // arrivals in the column
	width       float64 // ns
	scale       float64 // ns of a unit of gap
	shift       float64 // ns
	first, next int     // the first in order of time; the next
	begin, src  rand.PCG
	sum         float64 // of the gaps before next
	left        int     // to come
}

// start divides a column among n > 0 arrivals and leaves src behind all it drew.
func (c *circle) start(sp Spacing, n int, width float64, shifted bool, src *rand.PCG) {
	*c = circle{gap: sp.gap, n: n, width: width, left: n}
	if shifted {
		c.shift = width - float64(uniform(src)*width) // uniform is above 0, the shift below the width
	}
	c.begin = *src
	var total float64
	for range n {
		total += c.gap(src)
	}
	if total > 0 {
		c.scale = width / total
	}
	c.src = c.begin
	for c.next < n && c.place() < width {
		c.step()
	}
	if c.first = c.next; c.first == n {
		c.rewind() // no arrival beyond the edge
	}
}

func (c *circle) place() float64 { return c.shift + float64(c.sum*c.scale) }

func (c *circle) step() {
	c.sum += c.gap(&c.src)
	c.next++
}

func (c *circle) rewind() { c.src, c.sum, c.next = c.begin, 0, 0 }

// take is the next arrival's place in the column in ns; left counts them.
func (c *circle) take() float64 {
	at := c.place()
	if at >= c.width {
		at -= c.width
	}
	if c.step(); c.next == c.n {
		c.rewind()
	}
	c.left--
	return at
}
