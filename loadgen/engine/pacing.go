package engine

import (
	"errors"
	"fmt"
	"time"
)

// Precision says how a shard waits for the next instant. The zero value is
// exact: it sleeps until then, to what the kernel's timers give.
type Precision struct {
	// Quantum puts sends off to the next multiple of it on the run's clock, so
	// that many leave with one waking up. Lag still counts from the planned
	// instant: up to a quantum of it is deliberate. 0 for none.
	Quantum time.Duration

	// Spin never sleeps: a whole core a shard, for the smallest lag there is.
	Spin bool
}

// Late says what happens to a request whose instant has passed before it could
// be sent. The zero value sends it at once. At most one field is set.
type Late struct {
	// Drop drops a request that would be sent later than this after its
	// planned instant, with the reason late. 0 for never.
	Drop time.Duration

	// Cap bounds the rate of catching up, as a multiple of the planned one from
	// 1.01 on: what was missed is replayed in fast motion, so that in no
	// stretch of 100 ms more is sent than the plan has in Cap times as much.
	// Nothing is dropped for it; the lag grows instead. Up to a millisecond
	// (and a quantum) of lag is made up at once. 0 for no bound.
	Cap float64
}

const (
	// hiccup is a lag that is not a stall: a thread is woken so late now and
	// then. The verdict on a run draws the same line.
	hiccup = time.Millisecond
	// capWindow is the stretch over which Late.Cap holds.
	capWindow = 100 * time.Millisecond
	leastCap  = 1.01
)

func (p Precision) validate() error {
	switch {
	case p.Quantum < 0:
		return fmt.Errorf("quantum %v: must not be negative", p.Quantum)
	case p.Quantum > 0 && p.Spin:
		return fmt.Errorf("quantum %v and spin: want one of them", p.Quantum)
	}
	return nil
}

func (l Late) validate(p Precision) error {
	var faults []error
	if l.Drop < 0 || l.Drop > 0 && l.Drop <= p.Quantum {
		faults = append(faults, fmt.Errorf("late: drop after %v: want more than the quantum of %v", l.Drop, p.Quantum))
	}
	if l.Cap != 0 && !(l.Cap >= leastCap) {
		faults = append(faults, fmt.Errorf("late: capped at %g of the planned rate: want at least %g", l.Cap, leastCap))
	}
	if l.Drop > 0 && l.Cap > 0 {
		faults = append(faults, errors.New("late: drop and capped: want one of them"))
	}
	return errors.Join(faults...)
}

// A pacer says when each request of a shard is due. It knows no clock.
//
// Under a cap request k is released at
//
//	r(k) = max(planned(k), r(k−1) + (planned(k) − planned(k−1)) / speed)
//
// and r(k) moves to the instant of sending when that was more than a hiccup
// later, that is after a stall. Every send is then within a hiccup and a
// quantum of its release, so a window w of sends holds releases of at most
// w + hiccup + quantum, which are planned within speed times as much. The
// speed is set so that this is Cap · w for w = capWindow.
type pacer struct {
	quantum, bound int64
	speed          float64 // of catching up, in planned time per time; 0 for no bound

	planned  int64 // of the request at hand
	released int64 // when it may be sent, as far as the cap goes
	due      int64 // the same, on a multiple of the quantum
}

func newPacer(p Precision, l Late) pacer {
	pace := pacer{quantum: int64(p.Quantum), bound: int64(l.Drop)}
	if l.Cap > 0 {
		// Never slower than the plan, or a lag would grow for ever.
		pace.speed = max(1, l.Cap*float64(capWindow)/float64(capWindow+hiccup+p.Quantum))
	}
	return pace
}

// plan takes the planned instant of the next request.
func (p *pacer) plan(at int64) {
	gap := at - p.planned
	p.planned = at
	if p.speed > 0 {
		at = max(at, p.released+int64(float64(gap)/p.speed))
	}
	p.released, p.due = at, at
	if p.quantum > 0 {
		p.due = (at + p.quantum - 1) / p.quantum * p.quantum
	}
}

// expired reports whether the request at hand is to be dropped at the instant now.
func (p *pacer) expired(now int64) bool { return p.bound > 0 && now-p.planned > p.bound }

// sent tells that the request at hand was sent.
func (p *pacer) sent(now int64) {
	if now > p.due+int64(hiccup) {
		p.released = now
	}
}
