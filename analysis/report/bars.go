package report

import (
	"strconv"

	"edgebench/analysis"
)

// A barChart is cold starts a cycle, drawn without a script: it has to survive
// a mail client and a printer.
type barChart struct {
	Name          string
	Width, Height int
	Base          int // y of the zero line
	Groups        []barGroup
	Ticks         []barTick
	Truth         bool   // the node's marks are known
	Threshold     string // empty without one
	Fit           bool   // few enough cycles to shrink to a phone's width; else it scrolls
	Left          int    // cycles that did not fit
}

type barGroup struct {
	Label string
	X     int
	Bars  []bar
}

type bar struct {
	Class         string // truth | threshold
	X, Y, W, H    int
	Text, Caption string
	TextX, TextY  int
}

type barTick struct {
	Y     int
	Label string
}

// Measures of the drawing in its own units.
const (
	barWidth   = 26
	barGap     = 4
	groupGap   = 28
	plotHeight = 150
	plotTop    = 22
	plotLeft   = 44
	maxGroups  = 40
)

func newBarChart(m analysis.Measured) *barChart {
	c := &barChart{Name: m.Name, Truth: m.All.Cold.Truth != nil, Base: plotTop + plotHeight, Height: plotTop + plotHeight + 26}
	if m.All.Cold.ByThreshold != nil {
		c.Threshold = duration(m.All.Cold.ThresholdNS)
	}
	cycles := m.Cycles
	if len(cycles) > maxGroups {
		c.Left = len(cycles) - maxGroups
		cycles = cycles[:maxGroups]
	}
	c.Fit = len(cycles) <= 8
	top := uint64(1)
	for _, cy := range cycles {
		top = max(top, valueOf(cy.Cold.Truth), valueOf(cy.Cold.ByThreshold))
	}
	step := tickStep(top)
	top = (top + step - 1) / step * step
	height := func(n uint64) int { return int(float64(n) / float64(top) * plotHeight) }
	for n := uint64(0); n <= top; n += step {
		c.Ticks = append(c.Ticks, barTick{c.Base - height(n), count(n)})
	}
	x := plotLeft + groupGap/2
	for _, cy := range cycles {
		g := barGroup{Label: "cycle " + strconv.Itoa(cy.Cycle)}
		left := x
		for _, b := range []struct {
			class, by string
			n         *uint64
		}{{"truth", "by the node's mark", cy.Cold.Truth}, {"threshold", "by the threshold", cy.Cold.ByThreshold}} {
			if b.n == nil {
				continue
			}
			h := height(*b.n)
			g.Bars = append(g.Bars, bar{
				Class: b.class, X: x, Y: c.Base - h, W: barWidth, H: h, Text: count(*b.n),
				TextX: x + barWidth/2, TextY: c.Base - h - 5,
				Caption: g.Label + ": " + count(*b.n) + " of " + count(cy.OK) + " cold " + b.by,
			})
			x += barWidth + barGap
		}
		x = max(x, left+2*barWidth+barGap)
		g.X = (left + x - barGap) / 2
		c.Groups = append(c.Groups, g)
		x += groupGap
	}
	c.Width = x + 8
	return c
}

// tickStep gives at most five round steps up to top.
func tickStep(top uint64) uint64 {
	step := uint64(1)
	for {
		for _, m := range []uint64{1, 2, 5} {
			if top <= 5*m*step {
				return m * step
			}
		}
		step *= 10
	}
}

func valueOf(n *uint64) uint64 {
	if n == nil {
		return 0
	}
	return *n
}
