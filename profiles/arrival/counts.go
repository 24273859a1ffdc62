package arrival

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"
)

// A Column is how often a function was called in one column of a trace.
type Column struct {
	Index uint32
	Count uint32 // > 0
}

// A Series is one function of a trace, its columns in order, silent ones left out.
type Series struct {
	Function
	Columns []Column
}

// Counts makes arrivals of calls counted by column, each function from random
// streams of its own, so that choosing other functions beside it moves none of its
// arrivals. The zero value is not usable; fill it and call Validate.
type Counts struct {
	Series  []Series
	Columns int           // of the whole, silent ones included; > 0
	Width   time.Duration // of a column; > 0
	Speed   float64       // columns are played so many times as fast; > 0
	// Scale multiplies the counts. Below 1 each call is kept with that
	// probability; above, the part of a call left over is rounded by lot. > 0.
	Scale   float64
	Spacing Spacing
	Aligned bool // do not shift: the first arrival of a column is on its edge

	functions []Function
	total     []float64 // calls a column, of all functions, unscaled
}

// Validate reports every fault at once and makes the Counts ready for use.
func (c *Counts) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if len(c.Series) == 0 {
		fault("no functions")
	}
	if !(c.Scale > 0 && c.Scale <= 1e6) {
		fault("scale %v is not above 0 and at most 1e6", c.Scale)
	}
	if !(c.Speed > 0 && c.Speed <= 1e9) {
		fault("speed %v is not above 0 and at most 1e9", c.Speed)
	}
	if c.Spacing.gap == nil {
		fault("no spacing")
	}
	if c.Columns <= 0 || c.Width <= 0 {
		fault("%d columns of %v", c.Columns, c.Width)
	} else if w := c.width(); !(w >= 1) || !(float64(c.Columns)*w < float64(MaxLength)) {
		fault("%d columns of %v at speed %v last from 1ns a column to %v in all", c.Columns, c.Width, c.Speed, MaxLength)
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	c.total = make([]float64, c.Columns)
	c.functions = make([]Function, len(c.Series))
	var all float64
	for i, s := range c.Series {
		var calls float64
		for _, col := range s.Columns {
			c.total[col.Index] += float64(col.Count)
			calls += float64(col.Count)
		}
		all += calls
		c.functions[i] = s.Function
		c.functions[i].Share = calls
	}
	if all == 0 {
		return errors.New("no calls")
	}
	for i := range c.functions {
		c.functions[i].Share /= all
	}
	return nil
}

// width of a column as played, in ns.
func (c *Counts) width() float64 { return float64(c.Width) / c.Speed }

// edge is the instant column i begins.
func (c *Counts) edge(i int) time.Duration { return time.Duration(float64(i) * c.width()) }

// Length implements Source.
func (c *Counts) Length() time.Duration { return max(1, c.edge(c.Columns)) }

// Functions implements Source.
func (c *Counts) Functions() []Function { return c.functions }

// Kind implements Source.
func (c *Counts) Kind() string { return "trace" }

func (c *Counts) String() string {
	return fmt.Sprintf("trace of %d functions, %d columns of %v", len(c.Series), c.Columns, c.Width)
}

func (c *Counts) describe(w io.Writer) {
	fmt.Fprintf(w, "counts %d columns of %d ns speed %v scale %v %s aligned %v\n",
		c.Columns, c.Width.Nanoseconds(), c.Speed, c.Scale, c.Spacing.Name, c.Aligned)
	for _, s := range c.Series {
		fmt.Fprintf(w, "%s %v\n", s.Name, s.Columns)
	}
}

func (c *Counts) expected(from, to time.Duration) (mean, variance float64) {
	var calls compensated
	width := c.width()
	for i := int(float64(from) / width); i < len(c.total); i++ {
		begin, end := float64(float64(i)*width), float64(float64(i+1)*width)
		if begin >= float64(to) {
			break
		}
		part := (min(end, float64(to)) - max(begin, float64(from))) / width
		if part > 1-1e-6 { // edges are rounded to nanoseconds
			part = 1
		}
		calls.add(float64(c.total[i] * max(0, part)))
	}
	mean = float64(calls.value() * c.Scale)
	if c.Scale < 1 {
		return mean, float64(mean * (1 - c.Scale))
	}
	_, left := math.Modf(c.Scale)
	// A function's column of n calls is rounded once; as many as there are calls
	// bounds it from above, for columns of one call.
	return mean, float64(min(calls.value(), float64(c.cells())) * float64(left*(1-left)))
}

// cells counts the columns with calls of all functions.
func (c *Counts) cells() int {
	n := 0
	for _, s := range c.Series {
		n += len(s.Columns)
	}
	return n
}

func (c *Counts) curve(start, length time.Duration) Curve {
	scaled := slices.Clone(c.total)
	for i := range scaled {
		scaled[i] = float64(scaled[i] * c.Scale)
	}
	return binned(scaled, c.width(), start, length)
}

func (c *Counts) stream(s *Schedule) Stream {
	tracks := make([]track, 0, len(c.Series))
	for i := range c.Series {
		tracks = append(tracks, newSeriesTrack(c, &c.Series[i], s.seed))
	}
	return newMerged(s, tracks)
}
