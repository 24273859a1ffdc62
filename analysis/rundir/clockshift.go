package rundir

// A clockShift is by how much the real-time clock was set so far during a run.
// Requests and samples have the monotonic clock and know nothing of it; events
// have real time, which two processes share.
type clockShift struct {
	total int64
	since int64 // reading of the clock from which on the last step counts; 0 by the order of the file
}

// apply takes the steps before an event out of its instant.
func (c *clockShift) apply(e *Event) {
	if e.Event == EventClockStep {
		c.total += e.StepNS
		// Events are polled, so older ones may follow. Of a step forward, a reading
		// tells which: the clock had not come so far without it. Of one back, the
		// order of lines has to do.
		c.since = 0
		if e.StepNS > 0 {
			c.since = e.UnixNS - e.StepNS
		}
		e.UnixNS -= c.total
		return
	}
	if e.UnixNS >= c.since {
		e.UnixNS -= c.total
	}
}
