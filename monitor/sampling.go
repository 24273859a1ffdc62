package monitor

import (
	"fmt"
	"runtime"
	"time"
)

// sampling is a Sampler at work. Each interval is cut into slots. Every slot
// looks for new and ended processes and reads a few rollups, the first slot of
// an interval also takes the row, so that 15 rollups of 600 µs do not delay
// one row, nor stop 15 workers for a moment together.
type sampling struct {
	Sampler
	generator *generator
	pace      pace
	slots     int           // an interval
	slot      time.Duration // length of one
	begin     time.Duration // instant of slot 0, on the run's clock
	cpuBegin  time.Duration // the thread's CPU time at the start

	rows    int
	skipped int // rows not taken since the last
	wall    time.Duration
	last    Row

	failures int
	first    error
	buf      []byte
}

// slotLength is about how long a slot is; shorter ones would cost more in
// looking for processes than they spread.
const slotLength = 100 * time.Millisecond

// catchUp is how many rollups of just-found processes a row waits for. With
// more of them the row says that its PSS lacks some.
const catchUp = 4

func (s Sampler) start() (*sampling, error) {
	fs := FS{proc: Proc}
	if s.Tree != nil {
		fs = s.Tree.fs
	}
	g, err := newGenerator(fs)
	if err != nil {
		return nil, err
	}
	runtime.LockOSThread()
	cpu, err := threadClock()
	if err != nil {
		g.statm.close()
		runtime.UnlockOSThread()
		return nil, err
	}
	slots := max(1, min(10, int(s.Interval/slotLength)))
	return &sampling{
		Sampler:   s,
		generator: g,
		pace:      pace{asked: s.PSSInterval, current: s.PSSInterval, limit: s.MaxShare},
		slots:     slots,
		slot:      s.Interval / time.Duration(slots),
		begin:     time.Since(s.Zero),
		cpuBegin:  cpu,
		buf:       make([]byte, 4096),
	}, nil
}

func (r *sampling) stop() {
	r.generator.statm.close()
	runtime.UnlockOSThread()
}

func (r *sampling) now() time.Duration { return time.Since(r.Zero) }

// planned is the instant of slot at. Rows are counted in whole intervals, which
// slots of a rounded length would drift from.
func (r *sampling) planned(at int) time.Duration {
	return r.begin + time.Duration(at/r.slots)*r.Interval + time.Duration(at%r.slots)*r.slot
}

func (r *sampling) until(at int) time.Duration { return r.planned(at) - r.now() }

// step does the work of slot at and returns the next slot.
func (r *sampling) step(at int, emit func(Row)) int {
	now := r.now()
	if at%r.slots == 0 {
		r.row(now, now-r.planned(at), emit)
	} else if r.Tree != nil {
		r.note(r.Tree.sweep(false))
		left := r.slots - at%r.slots
		n := r.pace.quota(len(r.Tree.order), r.Tree.unread(), left, r.slot)
		r.readPSS(n)
	}
	done := r.now()
	r.wall += done - now
	return r.next(at, done)
}

// next is the slot after at. Slots whose instant has passed are left out, but
// not the last row among them: it is taken late, and says so.
func (r *sampling) next(at int, now time.Duration) int {
	passed := max(at, int((now-r.begin)/r.Interval)*r.slots)
	if rows := passed/r.slots - at/r.slots; rows > 0 {
		r.skipped += rows - 1
		return passed
	}
	for at++; at%r.slots != 0 && r.planned(at+1) <= now; at++ {
	}
	return at
}

// row samples everything but the rollups that are not due, and emits it.
func (r *sampling) row(now, late time.Duration, emit func(Row)) {
	row := Row{
		At: now, Unix: time.Now().UnixNano(), Late: max(0, late), Skipped: r.skipped,
		PSSInterval: r.pace.current,
	}
	if r.Tree != nil {
		r.note(r.Tree.sweep(true))
		r.readPSS(r.rowQuota())
		r.note(r.Tree.measure(&row, r.now()))
	}
	r.note(r.generator.measure(&row, r.buf))
	cpu, err := threadClock()
	r.note(err)
	row.SamplerCPU = cpu - r.cpuBegin
	told := r.now() - now
	row.SamplerWall = r.wall + told
	r.wall = -told // step adds the whole slot
	if since := row.At - r.last.At; row.Node && r.rows > 0 && since > 0 {
		row.CPUShare = Null[float64]{V: (row.CPU - r.last.CPU).Seconds() / since.Seconds(), Valid: true}
	}
	r.pace.spent(row.At, row.SamplerCPU)
	r.rows, r.skipped, r.last = r.rows+1, 0, row
	emit(row)
}

// rowQuota is how many rollups to read for a row. The first reads all at once:
// nothing runs yet that it could disturb, and it is complete.
func (r *sampling) rowQuota() int {
	if r.rows == 0 {
		return len(r.Tree.order)
	}
	n := min(catchUp, r.Tree.unread())
	if r.slots == 1 { // no slots in between that read the others
		n = max(n, r.pace.quota(len(r.Tree.order), 0, 1, r.slot))
	}
	return n
}

// readPSS reads up to n rollups that are due: the quota is rounded up, and
// without a least age it would read some of them twice an interval.
func (r *sampling) readPSS(n int) {
	_, err := r.Tree.readOldest(n, r.pace.current*3/4, r.now())
	r.note(err)
}

func (r *sampling) note(err error) {
	if err == nil {
		return
	}
	if r.failures++; r.failures == 1 {
		r.first = err
	}
}

func (r *sampling) failure() error {
	if r.failures == 0 {
		return nil
	}
	return fmt.Errorf("monitor: %d readings failed, the first: %w", r.failures, r.first)
}
