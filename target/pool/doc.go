// Package pool is the heart of the worker node as a state machine: which
// request waits, which worker serves it, when workers are started, reaped and
// replaced. It has no clock, no goroutine and no descriptor. Every input carries
// the instant it happened at, on a clock that starts at 0 with the node, and
// returns the commands that follow from it; the caller carries them out and
// reports what became of them as further inputs. So the live node and the twin
// run the same code, and a scenario is a text file.
//
// A request takes an idle worker at once (warm) or waits in one FIFO queue. A
// worker that becomes free takes the head of the queue: the request's path is
// queued if that worker was ready when the request came, else fresh, because
// then the request waited for a start, whoever else the worker served first.
// What a miss does besides is Config.Miss.
//
// Three rules for the number of workers:
//   - A policy's target only starts workers. What stops them is the scavenger:
//     idle for IdleTimeout, longest idle first, never below the policy's floor.
//   - A worker that dies is replaced by one worker, if there are then fewer
//     than the target.
//   - After a failed start, or the death of a worker that never served and was
//     ready for less than a second, nothing is started for 100 ms, and twice as
//     long each further time in a row, up to 5 s.
//
// The caller must call Advance no later than it can once Deadline has passed,
// and must not pass instants that go backwards.
package pool
