package engine

import (
	"context"
	"slices"
	"testing"
	"time"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/transport"
	"edgebench/loadgen/transport/transporttest"
)

// tapped is a transport whose waits are looked at.
type tapped struct {
	transport.Transport
	clock *transport.Clock
	tap   func(now, until int64)
}

func (t tapped) Wait(until int64) error {
	t.tap(t.clock.Now(), until)
	return t.Transport.Wait(until)
}

// tap opens transports whose waits are looked at, by the shards' threads.
func tap(open Open, look func(now, until int64)) Open {
	return func(ctx context.Context, o transport.Options) (transport.Transport, error) {
		tr, err := open(ctx, o)
		return tapped{tr, o.Clock, look}, err
	}
}

// held plays 1000 requests/s for a second, with the shard held up for 400 ms in
// the middle, and returns the rows by index too.
func held(t *testing.T, l Late) (Result, []rundir.Sample) {
	server := transporttest.Serve(t, echo)
	stalled := false
	open := tap(to(t, server.Address(), time.Minute), func(now, _ int64) {
		if !stalled && now > int64(300*time.Millisecond) {
			stalled = true
			time.Sleep(400 * time.Millisecond) // the stall itself
		}
	})
	var kept rows
	res := play(t, t.Context(), Config{
		Schedule: steps(t, time.Second, 1000), Open: open, Drain: time.Minute, Shards: 1, Connections: 500, Late: l, Sink: &kept,
	})
	slices.SortFunc(kept.samples, func(a, b rundir.Sample) int { return int(a.Index) - int(b.Index) })
	if res.Total.Scheduled != 1000 || res.Total.OK()+res.Total.Drops[rundir.DropLate] != 1000 || len(kept.samples) != 1000 {
		t.Errorf("scheduled %d, ok %d, errors %v, dropped %v", res.Total.Scheduled, res.Total.OK(), res.Total.ErrorsByClass(), res.Total.DroppedByReason())
	}
	return res, kept.samples
}

func TestLateIsSent(t *testing.T) {
	t.Parallel()
	res, _ := held(t, Late{})
	if res.Total.OK() != 1000 || res.Total.Lag.Max < int64(390*time.Millisecond) {
		t.Errorf("ok %d, largest lag %v", res.Total.OK(), time.Duration(res.Total.Lag.Max))
	}
}

func TestLateIsDropped(t *testing.T) {
	t.Parallel()
	res, _ := held(t, Late{Drop: 100 * time.Millisecond})
	if n := res.Total.Drops[rundir.DropLate]; n < 290 {
		t.Errorf("%d dropped of about 300 planned over 100 ms before the end of the stall", n)
	}
}

// C16 on real sockets; the property itself is tested without a clock.
func TestLateIsCapped(t *testing.T) {
	t.Parallel()
	res, samples := held(t, Late{Cap: 1.5})
	if res.Total.OK() != 1000 {
		t.Fatalf("ok %d, dropped %v", res.Total.OK(), res.Total.DroppedByReason())
	}
	first := 0
	for last := range samples {
		for samples[last].Sent-samples[first].Sent > int64(capWindow) {
			first++
		}
		// A thread that is held up between its look at the clock and the send
		// costs one request at each end.
		if n := last - first + 1; n > 152 {
			t.Fatalf("%d requests within 100 ms from %v on", n, time.Duration(samples[first].Sent))
		}
	}
}

func TestPrecisionOnTheWire(t *testing.T) {
	t.Parallel()
	const quantum = 20 * time.Millisecond
	for name, p := range map[string]Precision{"quantum": {Quantum: quantum}, "spin": {Spin: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := transporttest.Serve(t, echo)
			slept := 0
			open := tap(to(t, server.Address(), time.Minute), func(now, until int64) {
				if until > now {
					slept++
				}
			})
			var kept rows
			res := play(t, t.Context(), Config{
				Schedule: steps(t, 200*time.Millisecond, 1000), Open: open, Drain: time.Minute, Shards: 1, Connections: 50,
				Precision: p, Sink: &kept,
			})
			if res.Total.OK() != 200 || p.Spin != (slept == 0) {
				t.Errorf("ok %d, %d waits", res.Total.OK(), slept)
			}
			for _, s := range kept.samples {
				if q := int64(p.Quantum); q > 0 && s.Sent < (s.Scheduled+q-1)/q*q {
					t.Fatalf("planned at %v, sent at %v", time.Duration(s.Scheduled), time.Duration(s.Sent))
				}
			}
		})
	}
}

// C20: a rate that no machine holds ends in time, with every request accounted
// for and what was reached in the counts.
func TestHopelessRate(t *testing.T) {
	t.Parallel()
	server := transporttest.Serve(t, echo)
	var sent, scheduled int64
	res := play(t, t.Context(), Config{
		Schedule: steps(t, 100*time.Millisecond, 10_000_000), Open: to(t, server.Address(), time.Minute), MaxInFlight: 64,
		Interval: func(i rundir.Interval) { sent += i.Sent; scheduled += i.Scheduled },
	})
	total := res.Total
	late, full := total.Drops[rundir.DropLate], total.Drops[rundir.DropMaxInFlight]+total.Drops[rundir.DropNoConnection]
	if total.Scheduled != 1_000_000 || total.Sent()+late+full != 1_000_000 || total.Sent() == 0 || late+full == 0 {
		t.Errorf("scheduled %d, sent %d, dropped %v", total.Scheduled, total.Sent(), total.DroppedByReason())
	}
	if sent != int64(total.Sent()) || scheduled != 1_000_000 {
		t.Errorf("by second %d sent of %d", sent, scheduled)
	}
}

// Sending goes on behind the end of the schedule, but not for ever: what is
// left then is late.
func TestSendingEndsInTime(t *testing.T) {
	t.Parallel()
	server := transporttest.Serve(t, echo)
	stalled := false
	open := tap(to(t, server.Address(), time.Minute), func(now, _ int64) {
		if !stalled && now > int64(50*time.Millisecond) {
			stalled = true
			time.Sleep(leastOverrun + 100*time.Millisecond) // the stall itself
		}
	})
	res := play(t, t.Context(), Config{
		Schedule: steps(t, 100*time.Millisecond, 1000), Open: open, Shards: 1, Drain: 100 * time.Millisecond, Connections: 10,
	})
	late := res.Total.Drops[rundir.DropLate]
	if res.Total.OK()+late != 100 || late < 30 || late > 60 || res.Interrupted {
		t.Errorf("ok %d, dropped %v, interrupted %v", res.Total.OK(), res.Total.DroppedByReason(), res.Interrupted)
	}
}

// C34: fewer requests than connections are exactly so many.
func TestFewerRequestsThanConnections(t *testing.T) {
	t.Parallel()
	server := transporttest.Serve(t, echo)
	res := play(t, t.Context(), Config{
		Schedule: steps(t, 100*time.Millisecond, 30), Open: to(t, server.Address(), time.Minute), Drain: time.Minute, Connections: 50, Shards: 3,
	})
	if res.Total.OK() != 3 || server.Requests() != 3 {
		t.Errorf("ok %d, %d on the wire", res.Total.OK(), server.Requests())
	}
}

// C35: what is answered after its phase, or in the drain, counts where it was
// planned, and the phase is no longer for it.
func TestAnswersCountInTheirPhase(t *testing.T) {
	t.Parallel()
	release := make(chan bool)
	server := transporttest.Serve(t, func(c *transporttest.Conn) {
		for {
			number, ok := c.Numbered()
			if !ok {
				return
			}
			if number == 60 { // of all: every answer comes behind the last request
				close(release)
			}
			<-release
			c.Send(okResponse)
		}
	})
	res := play(t, t.Context(), Config{
		Schedule: steps(t, 100*time.Millisecond, 200, 400), Open: to(t, server.Address(), time.Minute), Drain: time.Minute, Connections: 60,
	})
	if res.Phases[0].OK() != 20 || res.Phases[1].OK() != 40 || res.Planned != 200*time.Millisecond {
		t.Errorf("ok %d and %d of 20 and 40; planned %v", res.Phases[0].OK(), res.Phases[1].OK(), res.Planned)
	}
}
