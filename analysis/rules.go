package analysis

import "time"

// The rules of the verdict, with their reasons. They are constants and not
// options: a rule that moves with the run it judges decides nothing.
const (
	// maxDropShare: above this share of scheduled requests dropped for a reason
	// of the generator's own, the load offered was not the load planned. 1 % is
	// what a p99 can hide.
	maxDropShare = 0.01

	// maxLagP99: a response time includes its lag. At 10 ms every hundredth
	// request was sent so late that the lag shows in the printed digits of a
	// half-second service.
	maxLagP99 = 10 * time.Millisecond

	// lateLag, lateShareOfP50 and maxLateShare: a generator that keeps up is late
	// by microseconds, and now and then by a scheduler's millisecond. When one
	// request in twenty is late by more, the p95 of a fast target is the
	// generator's own. For a slow target late begins at a hundredth of its
	// median response time: a millisecond is no part of half a second.
	lateLag        = time.Millisecond
	lateShareOfP50 = 0.01
	maxLateShare   = 0.05

	// maxThrottled: a generator whose control group used up its CPU stands still
	// for the rest of a period, up to 100 ms, with everything that was due in it:
	// what is measured then is the limit. Nothing below once is harmless.
	maxThrottled = 0

	// maxSkew: generators of one run that begin further apart, or whose clocks
	// may be, played another schedule than the one planned: 5 ms is the distance
	// of two requests at 200/s.
	maxSkew = 5 * time.Millisecond

	// heldShare: a rate is held when so much of it is sent. Below it, a verdict
	// that blames the generator says what was reached.
	heldShare = 0.99

	// minDeath: fewer failures at the end of a run may be those of a drain.
	minDeath = 10

	// minLags: below so many requests a p99 is the maximum, and a single hiccup
	// would condemn the run; then it is a warning.
	minLags = 100

	// modeWidth and maxModeShare: a threshold that tells two kinds apart lies in
	// a gap. When more than one value in twenty is within 10 % of it, moving it
	// a little moves the count a lot.
	modeWidth    = 0.10
	maxModeShare = 0.05

	// maxUnread: a worker that has just started is not in PSS until its turn comes.
	// With more than this share of them out, its mean is as much too low.
	maxUnread = 0.05

	// gapFactor: two sampler rows further apart than this many usual distances
	// have a missing row between them.
	gapFactor = 1.75
)
