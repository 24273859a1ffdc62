package qpn

import (
	"errors"
	"fmt"
	"math"
	"runtime"
)

// Options say how a sweep simulates. The zero value means the defaults.
type Options struct {
	Replications int     // independent runs a point, 2 or more; default 10
	Departures   int     // of one run, warm-up included; default 200,000
	Level        float64 // confidence of the intervals, 0..1; default 0.95
	Seed         uint64  // default 1

	// Batches, if above 0, makes one long run of Departures and takes its
	// intervals from so many batches of it (2..50, 20 is usual) instead of from
	// replications: cheaper near critical load, where each start costs a warm-up.
	Batches int

	// RelativeHalf, if above 0, adds replications until the half width of R is
	// at most this share of R, up to MaxReplications (default 100).
	RelativeHalf    float64
	MaxReplications int

	Workers int // replications at a time; default GOMAXPROCS

	// Trace is the period in seconds of the transient trace of the first
	// replication, 0 for none.
	Trace float64
}

// withDefaults fills in what is zero.
func (o Options) withDefaults() Options {
	for _, d := range []struct {
		field *int
		value int
	}{{&o.Replications, 10}, {&o.Departures, 200_000}, {&o.MaxReplications, 100}, {&o.Workers, runtime.GOMAXPROCS(0)}} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	if o.Level == 0 {
		o.Level = 0.95
	}
	if o.Seed == 0 {
		o.Seed = 1
	}
	if o.Batches > 0 {
		o.Replications, o.MaxReplications = 1, 1
	}
	o.MaxReplications = max(o.MaxReplications, o.Replications)
	return o
}

// maxBatches keeps batches coarser than the points of time a run remembers.
const maxBatches = 50

// MinDepartures is what the warm-up rule and the growth test need to see.
const MinDepartures = 500

// Validate reports every fault of the options.
func (o Options) Validate() error {
	var faults []error
	check := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	o = o.withDefaults()
	check(o.Batches == 0 && o.Replications < 2 || o.Replications > 100_000, "replications %d: outside 2..100000 (an interval needs two)", o.Replications)
	check(o.Batches < 0 || o.Batches == 1 || o.Batches > maxBatches, "batches %d: outside 2..%d (0 for replications)", o.Batches, maxBatches)
	check(o.Departures < MinDepartures || o.Departures > 1e10, "departures %d: outside %d..1e10", o.Departures, MinDepartures)
	check(!(o.Level > 0 && o.Level < 1), "level %v: outside 0 < level < 1", o.Level)
	check(!(o.RelativeHalf >= 0 && o.RelativeHalf < 1), "relative half width %v: outside 0..1", o.RelativeHalf)
	check(o.Workers < 1, "workers %d: below 1", o.Workers)
	check(!(o.Trace >= 0) || math.IsInf(o.Trace, 1), "trace period %v: not a finite number of seconds ≥ 0", o.Trace)
	return errors.Join(faults...)
}

// seed returns the seed of replication i: the same for every point of a sweep
// and every model, so that their differences are not noise (common random
// numbers). The mixing is splitmix64's.
func (o Options) seed(i int) uint64 {
	z := o.Seed + uint64(i+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
