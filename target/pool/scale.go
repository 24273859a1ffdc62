package pool

import (
	"time"

	"edgebench/target/policy"
)

// Bounds of the time without starts after a failed one.
const (
	firstBackOff = 100 * time.Millisecond
	maxBackOff   = 5 * time.Second
)

// scale is what the pool knows about the number of workers it should have.
type scale struct {
	last policy.Decision // bounded by MaxWorkers

	nextTick, nextScavenge time.Duration
	windowStart            time.Duration
	arrivals, waited       int // in the window

	until time.Duration // no starts before
	pause time.Duration // the last one, 0 when starts succeed
	owed  int           // pool workers to start when until has passed
}

func newScale(cfg Config) scale {
	s := scale{nextTick: cfg.TickPhase, nextScavenge: cfg.Scavenge}
	if s.nextTick == 0 {
		s.nextTick = cfg.Tick
	}
	return s
}

// backOff pauses starts. Failures of starts asked for before the pause are
// part of its cause and do not make it longer.
func (s *scale) backOff(now time.Duration) {
	if now < s.until {
		return
	}
	s.pause = min(max(2*s.pause, firstBackOff), maxBackOff)
	s.until = now + s.pause
}

// recovered is a start that succeeded.
func (s *scale) recovered() { s.pause = 0 }

// bound keeps a decision within what the node may do.
func (p *Pool) bound(d policy.Decision) policy.Decision {
	d.Target = min(max(d.Target, 0), p.cfg.MaxWorkers)
	d.Floor = min(max(d.Floor, 0), d.Target)
	return d
}

// launch starts up to n pool workers, or remembers them while starts are paused.
func (p *Pool) launch(now time.Duration, n int, why Reason) {
	n = min(n, p.cfg.MaxWorkers-p.size())
	if n <= 0 || p.closed {
		return
	}
	if now < p.scale.until {
		p.scale.owed += n
		return
	}
	for range n {
		w := p.add(now, false)
		p.counts.Started[why]++
		p.command(Command{Op: Start, Worker: w.id, Reason: why})
	}
}

// startFailed takes a worker back whose start came to nothing.
func (p *Pool) startFailed(now time.Duration, w *worker) {
	p.counts.StartFailures++
	oneOff, bound, id := w.oneOff, w.bound, w.request.id
	p.remove(w)
	p.scale.backOff(now)
	if !oneOff {
		p.scale.owed++
		return
	}
	if bound {
		p.refuse(id, StartFailed)
	}
	p.rejectOverdue(now)
}

// tick asks the policy. The window is as long as it was, not as it should have been.
func (p *Pool) tick(now time.Duration) {
	s := &p.scale
	s.nextTick = after(s.nextTick, p.cfg.Tick, now)
	if now <= s.windowStart {
		return
	}
	d := p.policy.Decide(p.observe(now))
	s.windowStart, s.arrivals, s.waited = now, 0, 0
	p.inside.begin()
	p.ready.begin(now)
	p.running.begin(now)
	p.counts.Decisions++
	if d.Alarm != "" {
		p.counts.Alarms++
	}
	p.decided(now, d, NoReason)
}

// Revise is a decision that the policy has made anew between two ticks, because
// a forecast has come late.
func (p *Pool) Revise(now time.Duration, d policy.Decision) []Command {
	p.input(now)
	if !p.closed {
		p.decided(now, d, Revised)
	}
	return p.out
}

func (p *Pool) decided(now time.Duration, d policy.Decision, why Reason) {
	s := &p.scale
	s.last = p.bound(d)
	p.command(Command{Op: Decide, Reason: why})
	s.owed = 0 // the decision counts anew what is missing
	p.launch(now, s.last.Target-p.size(), ByPolicy)
	if p.cfg.Miss == MissSpawn {
		p.launch(now, p.missing(), BySpawn)
	}
}

// missing is how many more workers it takes to admit what waits in the queue, those
// that start or will start excepted. It may be negative.
func (p *Pool) missing() int {
	return (p.waiting.live+p.cfg.Tokens-1)/p.cfg.Tokens - p.starting - p.scale.owed
}

func (p *Pool) observe(now time.Duration) policy.Observation {
	return policy.Observation{
		Now: now, Window: now - p.scale.windowStart,
		Concurrency: p.inside.mean(now - p.scale.windowStart),
		Idles:       p.inside.idles, Silence: p.inside.silence(),
		Arrivals: p.scale.arrivals, Waited: p.scale.waited, Backlog: p.waiting.live + p.admitted(),
		Busy: p.busy, Idle: p.ready.n - p.busy, Starting: p.starting,
		ServiceTime: p.ServiceTime() / time.Duration(p.cfg.Servers),
		Utilization: p.utilization(now),
	}
}

// admitted is the number of requests that wait inside workers.
func (p *Pool) admitted() int { return p.taken - p.running.n }

// utilization is the share of the servers' time in the window that was spent
// executing, 0 without any server.
func (p *Pool) utilization(now time.Duration) float64 {
	had := p.ready.over(now) * time.Duration(p.cfg.Servers)
	if had == 0 {
		return 0
	}
	return float64(p.running.over(now)) / float64(had)
}

// scavenge reaps workers that have been idle for too long, longest idle first.
func (p *Pool) scavenge(now time.Duration) {
	p.scale.nextScavenge = after(p.scale.nextScavenge, p.cfg.Scavenge, now)
	timeout := p.cfg.IdleTimeout
	if p.scale.last.IdleTimeout > 0 {
		timeout = p.scale.last.IdleTimeout
	}
	for i := 0; i < len(p.open) && p.size() > p.scale.last.Floor && now-p.open[i].Since >= timeout; {
		if p.open[i].Load > 0 {
			i++
			continue
		}
		p.stop(p.workers[p.open[i].ID], Idle) // takes it out of the list
	}
}

// after is the first instant of the grid last + n·period behind now. A late call
// skips what it missed and keeps the phase.
func after(last, period, now time.Duration) time.Duration {
	if now < last {
		return last
	}
	return last + ((now-last)/period+1)*period
}
