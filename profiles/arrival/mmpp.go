package arrival

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

var mmppFamily = Family{
	Name: "mmpp",
	Help: "Markov-modulated Poisson: the rate switches between levels, visited in turn for exponential times",
	Params: []Param{
		{Name: "rates", Help: "level of each state, relative to the others: their mean over time becomes the phase's rate", List: true},
		{Name: "dwell", Help: "mean time spent in each state", List: true, Time: true},
	},
	New: func(v Values) (Law, error) { return NewMMPP(v["rates"], v["dwell"]) },
}

// maxStates bounds an MMPP.
const maxStates = 64

// leastDwell keeps the number of state changes of a long schedule finite, in seconds.
const leastDwell = 1e-3

// MMPP is a Poisson process whose rate is the curve's times the level of a hidden
// state. States are visited in turn, each for an exponential time. The levels are
// relative: scaled so that their mean over time is 1, the curve is the mean rate.
// The dwell times are real time, whatever the rate. The zero value is not usable.
type MMPP struct {
	level []float64 // mean over time 1
	dwell []float64 // seconds
}

// NewMMPP takes 2 … 64 states: rates ≥ 0, not all of them 0, and dwell times of at
// least 1 ms in seconds. Every fault is reported.
func NewMMPP(rates, dwell []float64) (MMPP, error) {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf("mmpp: "+format, args...)) }
	if len(rates) != len(dwell) {
		fault("%d rates for %d dwell times: every state has one of each", len(rates), len(dwell))
	}
	if n := len(rates); n < 2 || n > maxStates {
		fault("%d states: want 2 to %d", n, maxStates)
	}
	for i, r := range rates {
		if !(r >= 0 && r <= 1e9) {
			fault("rates[%d] = %v is not a number from 0 to 1e9", i, r)
		}
	}
	for i, d := range dwell {
		if !(d >= leastDwell && d <= seconds(MaxLength)) {
			fault("dwell[%d] = %v s is not from 1ms to %v", i, d, MaxLength)
		}
	}
	if len(faults) > 0 {
		return MMPP{}, errors.Join(faults...)
	}
	var weighted, cycle float64
	for i, r := range rates {
		weighted += float64(r * dwell[i])
		cycle += dwell[i]
	}
	if weighted == 0 {
		return MMPP{}, errors.New("mmpp: every rate is 0")
	}
	m := MMPP{level: slices.Clone(rates), dwell: slices.Clone(dwell)}
	for i := range m.level {
		m.level[i] = m.level[i] * cycle / weighted
	}
	return m, nil
}

// Gaps implements Law: those at a constant rate of 1/s.
func (m MMPP) Gaps(src *rand.PCG) Gaps { return m.modulate(src, Constant(1).Count) }

// modulate implements modulated.
func (m MMPP) modulate(src *rand.PCG, count func(time.Duration) float64) Gaps {
	g := &mmppGaps{src: src, m: m, count: count}
	var cycle float64
	for _, d := range m.dwell {
		cycle += d
	}
	// A state is met with the share of time spent in it; what is left of its dwell
	// is exponential again.
	for lot := float64(uniform(src) * cycle); g.state < len(m.dwell)-1 && lot > m.dwell[g.state]; g.state++ {
		lot -= m.dwell[g.state]
	}
	g.dwell()
	return g
}

func (m MMPP) String() string {
	var b strings.Builder
	for i := range m.level {
		fmt.Fprintf(&b, " %v for %vs", m.level[i], m.dwell[i])
	}
	return "mmpp(" + strings.TrimSpace(b.String()) + ")"
}

// mmppGaps walks through the states. Positions are expected arrivals of the curve,
// the unit of every Gaps.
type mmppGaps struct {
	src   *rand.PCG
	m     MMPP
	count func(time.Duration) float64

	state int
	until time.Duration // end of the state
	edge  float64       // count(until)
	now   float64
}

// dwell draws the end of the state.
func (g *mmppGaps) dwell() {
	stay := nanoseconds(float64(g.m.dwell[g.state] * exponential(g.src)))
	g.until += min(stay, Never-g.until)
	g.edge = g.count(g.until)
}

// Next uses up a unit exponential over the states: each offers its level times
// what the curve expects during it.
func (g *mmppGaps) Next() float64 {
	from, need := g.now, exponential(g.src)
	for {
		level := g.m.level[g.state]
		left := g.edge - g.now
		switch {
		case level > 0 && need < float64(level*left):
			g.now += need / level
			return g.now - from
		case math.IsInf(g.edge, 1):
			return math.Inf(1) // silent to the end of the schedule
		case level > 0:
			need -= float64(level * left)
		}
		g.now = g.edge
		if g.state++; g.state == len(g.m.level) {
			g.state = 0
		}
		g.dwell()
	}
}
