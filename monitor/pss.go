package monitor

import "time"

// readOldest reads the PSS of up to n processes, those never read first, then
// the oldest readings of at least minAge. It returns how many it read.
//
// A rollup walks the page tables under the target's mmap lock, 600 µs for
// 100 MB, so the caller spreads the processes over time.
func (t *Tree) readOldest(n int, minAge, now time.Duration) (read int, failed error) {
	for ; read < n; read++ {
		p := t.nextPSS(minAge, now)
		if p == nil {
			break
		}
		// Stamped before the reading, so that a process whose rollup fails
		// has had its turn.
		p.triedAt, p.tried = now, true
		if err := p.readPSS(t.fs, t.buf, now); err != nil && failed == nil {
			failed = err
		}
	}
	return read, failed
}

func (t *Tree) nextPSS(minAge, now time.Duration) *process {
	var oldest *process
	for _, p := range t.order {
		switch {
		case p.zombie || p.refused || p.unread:
		case !p.tried:
			return p
		case now-p.triedAt < minAge:
		case oldest == nil || p.triedAt < oldest.triedAt:
			oldest = p
		}
	}
	return oldest
}

// unread counts the running processes whose PSS had no turn yet.
func (t *Tree) unread() int {
	n := 0
	for _, p := range t.order {
		if !p.tried && !p.zombie && !p.refused {
			n++
		}
	}
	return n
}

// pace is how often each process's PSS is read: as asked for, or less often
// while the sampler costs more than its share.
type pace struct {
	asked   time.Duration
	current time.Duration
	limit   float64 // share of one core

	since time.Duration // start of the stretch of time that is being judged
	cpu   time.Duration // what the sampler had used by then
}

// maxStretch bounds the lengthening: beyond it, PSS is not what costs.
const maxStretch = 16

// judged is the time over which the cost is judged. In less the scheduler and
// cold caches weigh more than the number of readings.
const judged = time.Second

// spent takes the sampler's CPU time so far.
func (p *pace) spent(now, cpu time.Duration) {
	length := now - p.since
	switch {
	case p.cpu == 0: // the first row reads everything, which is no pace
	case length < judged:
		return
	default:
		p.adjust((cpu - p.cpu).Seconds() / length.Seconds())
	}
	p.since, p.cpu = now, cpu
}

// adjust takes the share of a core that the sampler used lately. The way back
// needs a quarter of the limit: halving the interval at most doubles the cost,
// so the pace does not swing between two values.
func (p *pace) adjust(share float64) {
	switch {
	case share > p.limit:
		p.current = min(2*p.current, maxStretch*p.asked)
	case share < p.limit/4:
		p.current = max(p.current/2, p.asked)
	}
}

// quota is how many rollups to read in a slot, so that every process has its
// turn once an interval and the unread ones before the next row.
func (p *pace) quota(processes, unread, slotsLeft int, slot time.Duration) int {
	slots := max(1, int(p.current/slot))
	return max(ceilDiv(processes, slots), ceilDiv(unread, max(1, slotsLeft)))
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
