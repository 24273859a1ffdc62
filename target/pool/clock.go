package pool

import (
	"math"
	"time"
)

// never is later than every instant.
const never = time.Duration(math.MaxInt64)

// A delay is a worker held back by StartDelay. The delay is the same for all, so
// they are in order of due.
type delay struct {
	worker uint64
	due    time.Duration
}

// timer is a kind of deadline. Where several are due at one instant they go in
// this order: workers become available before a request gives up waiting for
// one, and the policy sees the state after both.
type timer uint8

const (
	delayOver timer = iota
	pauseOver
	missWaited
	scavenging
	ticking
)

// Deadline is the instant of the next Advance: the far end of time once the pool
// is closed, else at most a tick away.
func (p *Pool) Deadline() time.Duration {
	at, _ := p.next()
	return at
}

func (p *Pool) next() (time.Duration, timer) {
	at, which := never, ticking
	consider := func(t time.Duration, k timer) {
		if t < at {
			at, which = t, k
		}
	}
	if p.closed {
		return at, which
	}
	if p.delayed.size > 0 {
		consider(p.delayed.at(0).due, delayOver)
	}
	if p.scale.owed > 0 {
		consider(p.scale.until, pauseOver)
	}
	if p.cfg.Miss == MissOneOff && p.oneOffs < p.cfg.MaxOneOffs {
		if r, ok := p.waiting.first(); ok {
			consider(max(r.arrived+p.cfg.MissWait, p.scale.until), missWaited)
		}
	}
	consider(p.scale.nextScavenge, scavenging)
	consider(p.scale.nextTick, ticking)
	return at, which
}

// Advance does everything that is due at now. What is late is done once, with
// now as its instant: waits and windows are measured, not assumed.
func (p *Pool) Advance(now time.Duration) []Command {
	p.input(now)
	for {
		at, which := p.next()
		if at > now {
			return p.out
		}
		switch which {
		case delayOver:
			id := p.delayed.at(0).worker
			p.delayed.drop()
			if w := p.workers[id]; w != nil { // else it died meanwhile
				p.available(now, w)
			}
		case pauseOver:
			n := p.scale.owed
			p.scale.owed = 0
			p.launch(now, n, Retry)
		case missWaited:
			p.startOneOffs(now)
		case scavenging:
			p.scavenge(now)
		case ticking:
			p.tick(now)
		}
	}
}
