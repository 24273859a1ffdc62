// Package coldstart measures what a cold start costs: how long a worker takes
// from the decision to start it until it is ready and until it has answered,
// and what memory fifteen of them have, fresh and after writing to their heaps.
//
// Runtimes are measured side by side: each round starts one worker of each, in
// an order drawn by lot, so that a busy spell of the machine spoils no runtime more
// than the others. One uncounted round comes first: programs and libraries are in
// the page cache, and what is measured is not the disk. Memory is measured of one
// runtime at a time, alone.
//
// It refuses to guess: a quantile comes with the interval that order statistics
// give for it, open where there are too few starts to bound it.
package coldstart
