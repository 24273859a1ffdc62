package net

// recorder notes what a run shows while it goes on, in bounded memory: when a
// list is full, every two of its entries become one.
type recorder struct {
	live int32 // tokens with an identity
	last float64
	area float64 // ∫ live dt

	departures int
	sum        float64 // of response times

	// Mean response times of batches of successive departures, for the removal
	// of the warm-up and for batch means.
	batch    int
	means    []float64
	batchSum float64
	batchN   int

	// Cuts are cumulative rows, one every `every` departures, so that means over
	// any stretch of the run are differences of two rows.
	cutEvery, untilCut int
	width              int
	cuts               []float64

	probes []total
	spread spread
	skip   int // departures before the spread counts

	every       float64 // period of the trace, 0 for none
	trace       []float64
	prior, next []float64 // cumulative rows at both ends of a period
}

type total struct{ sum, n float64 }

const (
	firstBatch = 5 // the 5 of MSER-5
	mostMeans  = 1 << 16
	firstCut   = 10
	mostCuts   = 1 << 8
)

// Columns of a cut; the probes (sum, n) follow, then the places (area, work,
// in, lost).
const (
	cutTime = iota
	cutDepartures
	cutSum
	cutArea
	cutFixed
)

const (
	perProbe = 2
	perPlace = 4
)

func (r *recorder) reset(places, probes int) {
	spread := r.spread
	spread.clear()
	*r = recorder{
		batch: firstBatch, means: r.means[:0], spread: spread,
		cutEvery: firstCut, untilCut: firstCut,
		width: cutFixed + perProbe*probes + perPlace*places, cuts: r.cuts[:0],
		probes: r.probes, trace: r.trace[:0], prior: r.prior, next: r.next,
	}
	if r.probes == nil {
		r.probes = make([]total, probes)
	}
	clear(r.probes)
}

// begin makes the first cut of a run. The spread leaves out the first tenth of
// a run of planned length.
func (r *recorder) begin(s *Sim, planned int) {
	if len(r.cuts) > 0 {
		return
	}
	if planned < 1<<40 {
		r.skip = planned / 10
	}
	r.cut(s)
}

func (r *recorder) population(now float64, change int32) {
	r.area += float64(r.live) * (now - r.last)
	r.last = now
	r.live += change
}

func (r *recorder) probe(i int32, d float64) {
	r.probes[i].sum += d
	r.probes[i].n++
}

func (r *recorder) departure(s *Sim, response float64) {
	r.departures++
	r.sum += response
	r.batchSum += response
	if r.departures > r.skip {
		r.spread.add(response)
	}
	if r.batchN++; r.batchN == r.batch {
		r.endBatch()
	}
	if r.untilCut--; r.untilCut == 0 {
		r.untilCut = r.cutEvery
		r.cut(s)
	}
}

func (r *recorder) endBatch() {
	r.means = append(r.means, r.batchSum/float64(r.batch))
	r.batchSum, r.batchN = 0, 0
	if len(r.means) < mostMeans {
		return
	}
	for i := range mostMeans / 2 {
		r.means[i] = (r.means[2*i] + r.means[2*i+1]) / 2
	}
	r.means = r.means[:mostMeans/2]
	r.batch *= 2
}

// cut appends a row. When there are enough rows every second goes.
func (r *recorder) cut(s *Sim) {
	r.cuts = r.row(s, r.cuts)
	if len(r.cuts)/r.width <= mostCuts {
		return
	}
	kept := 0
	for i := 0; i < len(r.cuts); i += 2 * r.width {
		copy(r.cuts[kept:], r.cuts[i:i+r.width])
		kept += r.width
	}
	r.cuts = r.cuts[:kept]
	r.cutEvery *= 2
	r.untilCut = r.cutEvery
}

// row appends the cumulative state of everything to rows.
func (r *recorder) row(s *Sim, rows []float64) []float64 {
	rows = append(rows, s.now, float64(r.departures), r.sum, r.area+float64(r.live)*(s.now-r.last))
	for _, p := range r.probes {
		rows = append(rows, p.sum, p.n)
	}
	for i := range s.places {
		p := &s.places[i]
		s.touch(p)
		rows = append(rows, p.area, p.work, float64(p.in), float64(p.lost))
	}
	return rows
}

func (r *recorder) startTrace(s *Sim, every float64) {
	r.every = every
	r.prior = r.row(s, r.prior[:0])
}

// traceRow appends what the period that just ended showed: its end, the mean
// population, the departures per time, then the mean population of each place.
func (r *recorder) traceRow(s *Sim) {
	r.next = r.row(s, r.next[:0])
	mean := func(column int) float64 { return (r.next[column] - r.prior[column]) / r.every }
	r.trace = append(r.trace, s.now, mean(cutArea), mean(cutDepartures))
	for i := range s.places {
		r.trace = append(r.trace, mean(cutFixed+perProbe*len(r.probes)+perPlace*i))
	}
	r.prior, r.next = r.next, r.prior
}
