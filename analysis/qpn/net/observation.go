package net

import "slices"

// An Observation is what a run showed. It is a copy: the run may go on.
type Observation struct {
	Time       float64 // model time at the end
	Events     uint64  // timers and services ended
	Firings    uint64  // transitions fired
	Departures int     // tokens ended
	Live       int     // tokens alive at the end

	// Responses are the mean response times of batches of Batch successive
	// departures, from the first on.
	Batch     int
	Responses []float64

	// Trace is one row a period, nil without a trace.
	Trace []TraceRow

	places, probes, width int
	cuts                  []float64
	spread                spread
}

// A TraceRow is what one period showed.
type TraceRow struct {
	End        float64   // model time at the end of the period
	Population float64   // mean tokens alive
	Throughput float64   // departures per time
	Places     []float64 // mean population of each place
}

// Observe returns what the run has shown until now.
func (s *Sim) Observe() *Observation {
	r := &s.record
	o := &Observation{
		Time: s.now, Events: s.events, Firings: s.firings, Departures: r.departures, Live: int(r.live),
		Batch: r.batch, Responses: slices.Clone(r.means),
		places: len(s.places), probes: len(r.probes), width: r.width,
		cuts: slices.Clone(r.cuts), spread: r.spread,
	}
	o.spread.count = slices.Clone(r.spread.count)
	if last := len(o.cuts) - o.width; last < 0 || o.cuts[last] < s.now {
		o.cuts = r.row(s, o.cuts)
	}
	wide := 3 + len(s.places)
	for i := 0; i < len(r.trace); i += wide {
		row := slices.Clone(r.trace[i : i+wide])
		o.Trace = append(o.Trace, TraceRow{End: row[0], Population: row[1], Throughput: row[2], Places: row[3:]})
	}
	return o
}

// Means are averages over a stretch of a run.
type Means struct {
	From, To   float64 // model time
	Departures float64
	X          float64 // departures per time
	R          float64 // mean response time of the tokens that ended, NaN if none did
	N          float64 // mean tokens alive
	Probes     []float64
	Places     []PlaceMeans
}

// PlaceMeans are averages of one place.
type PlaceMeans struct {
	Population float64 // tokens, waiting and served ones included
	Busy       float64 // servers at work
	In         float64 // tokens entered per time
	Lost       float64 // tokens dropped per time
}

// Cuts returns how many points of time Between and At know, 2 or more once a
// run has begun.
func (o *Observation) Cuts() int { return len(o.cuts) / o.width }

// CutAfter returns the first cut that leaves out at least so many departures.
func (o *Observation) CutAfter(departures int) int {
	n := o.Cuts()
	for i := range n {
		if o.cuts[i*o.width+cutDepartures] >= float64(departures) {
			return i
		}
	}
	return n - 1
}

// Between returns the means from cut i to cut j, i < j.
func (o *Observation) Between(i, j int) Means {
	a, b := o.cuts[i*o.width:(i+1)*o.width], o.cuts[j*o.width:(j+1)*o.width]
	span := b[cutTime] - a[cutTime]
	rate := func(column int) float64 { return (b[column] - a[column]) / span }
	m := Means{
		From: a[cutTime], To: b[cutTime],
		Departures: b[cutDepartures] - a[cutDepartures],
		X:          rate(cutDepartures),
		R:          (b[cutSum] - a[cutSum]) / (b[cutDepartures] - a[cutDepartures]),
		N:          rate(cutArea),
	}
	at := cutFixed
	for range o.probes {
		m.Probes = append(m.Probes, (b[at]-a[at])/(b[at+1]-a[at+1]))
		at += perProbe
	}
	for range o.places {
		m.Places = append(m.Places, PlaceMeans{Population: rate(at), Busy: rate(at + 1), In: rate(at + 2), Lost: rate(at + 3)})
		at += perPlace
	}
	return m
}

// Quantile returns the response time that a share q (0 < q ≤ 1) of the tokens
// did not exceed, within 0.8 %; NaN when none ended. It leaves out the first
// tenth of a run whose departures were planned.
func (o *Observation) Quantile(q float64) float64 { return o.spread.quantile(q) }
