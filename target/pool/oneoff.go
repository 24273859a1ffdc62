package pool

import "time"

// startOneOffs starts a one-off for every request that has waited for MissWait,
// as long as there may be one more. The queue is in order of arrival and the
// wait is the same for all, so the head is always the first to be due.
func (p *Pool) startOneOffs(now time.Duration) {
	if p.cfg.Miss != MissOneOff || now < p.scale.until {
		return
	}
	for p.oneOffs < p.cfg.MaxOneOffs {
		r, ok := p.waiting.first()
		if !ok || now < r.arrived+p.cfg.MissWait {
			return
		}
		p.waiting.pop()
		w := p.add(now, true)
		w.request, w.bound = r, true
		p.counts.Started[ForOneOff]++
		p.command(Command{Op: Start, Worker: w.id, OneOff: true, Request: r.id, Reason: ForOneOff})
	}
}

// readyOneOff gives a one-off its request: nobody else may have it, and it may
// have no other. The wait before the start was for a busy worker.
func (p *Pool) readyOneOff(now time.Duration, w *worker) {
	if !w.bound {
		p.stop(w, Unneeded)
		p.startOneOffs(now)
		return
	}
	w.up, w.ready, w.running, w.bound = true, now, 1, false
	p.assign(w, Command{
		Request: w.request.id, Path: Fallback,
		QueueWait: w.asked - w.request.arrived, StartWait: now - w.asked,
	})
}

// rejectOverdue refuses what would have had a one-off by now: starts fail, and
// a refusal now is worth more to a client than a place in a queue that grows.
func (p *Pool) rejectOverdue(now time.Duration) {
	for {
		r, ok := p.waiting.first()
		if !ok || now < r.arrived+p.cfg.MissWait {
			return
		}
		p.waiting.pop()
		p.refuse(r.id, StartFailed)
	}
}
